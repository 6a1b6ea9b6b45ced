import type { Report } from "./bench.ts";

/** The middle of the values; of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** By its name, what resolves with a figure. */
export type Contenders<T> = Record<string, () => Promise<T>>;

/**
 * Runs the contenders in turn, `rounds` times, so that a machine that grows slower does so for all
 * of them. Answers the figures of each by its name.
 */
export async function alternate<T>(
  rounds: number,
  contenders: Contenders<T>,
  report: (name: string, figure: T) => void,
): Promise<(name: string) => T[]> {
  const all = new Map(Object.keys(contenders).map((name): [string, T[]] => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, run] of Object.entries(contenders)) {
      const figure = await run();
      all.get(name)?.push(figure);
      report(`round ${round} of ${rounds}: ${name}`, figure);
    }
  }
  return (name) => {
    const figures = all.get(name);
    if (figures === undefined) throw new Error(`There is no contender ${name}.`);
    return figures;
  };
}

/** The same for plain numbers. Answers the median of each by its name. */
export async function medians(
  rounds: number,
  contenders: Contenders<number>,
  report: Report,
): Promise<(name: string) => number> {
  const figures = await alternate(rounds, contenders, (name, figure) =>
    report(`${name} ${figure.toPrecision(4)}`),
  );
  return (name) => median(figures(name));
}
