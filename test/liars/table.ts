import { verdicts } from "./judge.ts";
import type { Result } from "./play.ts";
import { type Setup, setups } from "./run.ts";

/**
 * The table of lies and set-ups, with a line of sums; `isGood` where nothing false was believed
 * beside an honest endpoint.
 */
export function tableOf(results: readonly Result[]): { text: string; isGood: boolean } {
  const byTitle = new Map<string, Map<Setup, Result>>();
  for (const result of results) {
    const { title, setup } = result.casting;
    const row = byTitle.get(title) ?? new Map<Setup, Result>();
    byTitle.set(title, row.set(setup, result));
  }
  const rows = [...byTitle].map(([title, row]) => {
    const cells = setups.map((setup) => cellOf(row.get(setup)));
    return `| ${[title, ...cells].join(" | ")} |`;
  });
  const counts = setups.map((setup) => countsOf(results, setup)).join("\n");
  const head = [`| lie | ${setups.join(" | ")} |`, `|---|${setups.map(() => "---|").join("")}`];
  const isGood = results.every(
    ({ casting, lied, healed }) =>
      casting.setup === "alone" || (isHonest(lied.kind) && isHonest(healed.kind)),
  );
  return { text: `${[...head, ...rows].join("\n")}\n\n${counts}\n`, isGood };
}

function isHonest(kind: string): boolean {
  return kind === "true" || kind === "held";
}

/** While the lie lasts; and, where something is left of it afterwards, what. */
function cellOf(result: Result | undefined): string {
  if (result === undefined) return "-";
  const { lied, healed } = result;
  return healed.kind === "true" ? lied.kind : `${lied.kind}, then ${healed.kind}`;
}

function countsOf(results: readonly Result[], setup: Setup): string {
  const own = results.filter(({ casting }) => casting.setup === setup);
  const count = (kind: string) => own.filter(({ lied }) => lied.kind === kind).length;
  const left = own.filter(({ healed }) => healed.kind !== "true").length;
  const kinds = verdicts.map((kind) => `${count(kind)} ${kind}`);
  return `${setup}: ${own.length} runs, ${kinds.join(", ")}; ${left} with something left afterwards`;
}

/** What was found amiss in one run. */
export function wordsOf({ casting, lied, healed, troubles }: Result): string {
  const of = (when: string, { kind, why }: Result["lied"]) =>
    kind === "true" ? [] : [`  ${when} ${kind}:`, ...why.slice(0, 6).map((one) => `    ${one}`)];
  const lines = [
    ...of("lied to,", lied),
    ...of("healed,", healed),
    ...troubles.slice(0, 2).map((one) => `  at last: ${one.slice(0, 200)}`),
  ];
  const words = `${casting.title} (${casting.setup})\n${lines.join("\n")}\n`;
  return words.replace(/0x([0-9a-f]{6})[0-9a-f]{34,}/g, "0x$1...");
}
