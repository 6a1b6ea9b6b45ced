/** What is to be reached: by `ratio`, or by the figure itself. */
export type Goal = { atMost: number } | { atLeast: number } | { oursAtMost: number };

/** One figure of a benchmark, beside what it is held against. All of them from the same call. */
export type Line = {
  /** What was measured. */
  name: string;
  /** Of every figure of the line, for example "ms", "per s", "MiB". */
  unit: string;
  /** The median of Chainbell's runs. */
  ours: number;
  /** The median of the bare floor's runs, alternating with ours; null where there is none. */
  baseline: number | null;
  /**
   * The same of the durable floor: the shortest program that keeps the same promises. Null where
   * there is none.
   */
  durable: number | null;
  /** The same of another system, or null where there is none. */
  peer: number | null;
  /** The same of the commit that is compared with, or null where none is. */
  against: number | null;
  /** Ours by the durable floor, or by the bare one where that is the only one; null: no floor. */
  ratio: number | null;
  /** Null: the line only informs. */
  goal: Goal | null;
  /** What was done, in a few words. */
  conditions: string;
};

/** Of what is left out there is none. */
export function lineOf(
  line: Pick<Line, "name" | "unit" | "ours" | "conditions"> & Partial<Omit<Line, "ratio">>,
): Line {
  const { baseline = null, durable = null, peer = null, against = null, goal = null } = line;
  const floor = durable ?? baseline;
  const ratio = floor === null ? null : line.ours / floor;
  return { ...line, baseline, durable, peer, against, ratio, goal };
}

/** A line of a named benchmark. */
export type NamedLine = Line & { bench: string };
