import { median } from "../runner/alternate.ts";
import type { Outcome } from "./outcome.ts";
import type { Fault, Script } from "./play.ts";

/** What one call has measured. The page of the documents is made from it. */
export type Figures = {
  /** A day, as YYYY-MM-DD. */
  measuredOn: string;
  machine: { node: string; cpu: string; cores: number; memoryGib: number };
  script: Script;
  rounds: number;
  systems: Measured[];
};

export type Measured = {
  name: string;
  title: string;
  how: string;
  /** By what went wrong. A system that somebody else runs is not killed. */
  outcomes: Partial<Record<Fault, Outcome>>;
};

/** Of several rounds: the median of each time, and the sum of each count. */
export function together(rounds: readonly Outcome[]): Outcome {
  const middle = (of: "p50" | "p90" | "p99") => {
    const times = rounds.map((one) => one[of]).filter((time) => time !== null);
    return times.length === 0 ? null : median(times);
  };
  const sum = (of: "paid" | "lost" | "doubled" | "outOfOrder") =>
    rounds.reduce((total, one) => total + one[of], 0);
  return {
    paid: sum("paid"),
    p50: middle("p50"),
    p90: middle("p90"),
    p99: middle("p99"),
    lost: sum("lost"),
    doubled: sum("doubled"),
    outOfOrder: sum("outOfOrder"),
  };
}
