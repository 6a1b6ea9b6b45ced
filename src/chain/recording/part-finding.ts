import { faultIn } from "../../domain/fault.ts";
import type { PartFinding } from "../../domain/setup/recorded-block.ts";

/** The outcome of judging a part: a value, or the reason why it is refused. */
export type Attempt<T> = { kind: "done"; value: T } | { kind: "refused"; reason: string };

/** Runs `work`. A Fault refuses the part. Any other error is a defect of ours, and is thrown. */
export function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { kind: "done", value: work() };
  } catch (error) {
    const fault = faultIn(error);
    if (fault === undefined) throw error;
    const part = fault.facts["part"];
    return { kind: "refused", reason: typeof part === "string" ? part : fault.message };
  }
}

export function finding(state: PartFinding["state"], says: string): PartFinding {
  return { state, says };
}
