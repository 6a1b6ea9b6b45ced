/** The blocks that a chain's own consensus calls safe or final, by the names JSON-RPC gives them. */
export const confirmationTags = ["safe", "finalized"] as const;

export type ConfirmationTag = (typeof confirmationTags)[number];

/**
 * When a block counts as confirmed. `depth`: that many blocks deep, itself included, so 1 is the block at the position.
 * `tag`: at or below the block that the chain calls so.
 */
export type ConfirmationPolicy =
  | { kind: "depth"; depth: number }
  | { kind: "tag"; tag: ConfirmationTag };

/**
 * The confirmed height for a position: of a depth, confirmations = position - block + 1; of a tag, the tagged height
 * (null where the chain has none yet), never above the position. May be below zero: then nothing is confirmed.
 */
export function confirmedHeight(
  position: bigint,
  policy: ConfirmationPolicy,
  taggedNumber: bigint | null,
): bigint {
  if (policy.kind === "depth") return position - BigInt(policy.depth) + 1n;
  if (taggedNumber === null) return -1n;
  return taggedNumber < position ? taggedNumber : position;
}
