import type { Build } from "../process/build.ts";
import type { Line } from "./line.ts";

/** Where a benchmark writes what it is doing. */
export type Report = (text: string) => void;

export type BenchOptions = {
  /** A little of everything: it shows that the benchmark works, and its figures mean nothing. */
  quick: boolean;
  report: Report;
  /** The other commit to run in turn with ours; null where there is none. */
  against: Build | null;
};

/** Starts what it needs, on free ports with fresh data, and stops it on every path. */
type Run = (options: BenchOptions) => Promise<Line[]>;

export type Bench = {
  about: string;
  /**
   * What it starts of another commit: the daemon alone, which every release has, or programs of
   * ours too. A commit without these is measured by its own benchmark.
   */
  needs: "daemon" | "programs";
  /**
   * Whether our build fills the ledger that the other commit then opens. A commit with other
   * migrations would refuse it, and is measured by its own benchmark too.
   */
  sharesLedger: boolean;
  load: () => Promise<{ run: Run }>;
};
