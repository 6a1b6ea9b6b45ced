/** The parts of a recorded block, in the order in which they are checked. */
type RecordedPart =
  | "header"
  | "transactions"
  | "senders"
  | "logs"
  | "movements"
  | "traces"
  | "fees"
  | "state";

/**
 * The result for one part of a recorded block. `proved`: the block's hash covers it. `fits`: it
 * agrees with the rest, but nothing proves it. `open`: it was not recorded, or this chain does not
 * show it. `refused`: it contradicts the rest.
 */
export type PartFinding = { state: "proved" | "fits" | "open" | "refused"; says: string };

export type RecordedBlockFinding = PartFinding & { what: RecordedPart };
