/** How deep a block must lie before what it holds is confirmed: 1 is the block at the position itself. */
export type ConfirmationPolicy = { kind: "depth"; depth: number };

/** The confirmed height for a position: confirmations = position - block + 1. May be below zero: then nothing is. */
export function confirmedHeight(position: bigint, policy: ConfirmationPolicy): bigint {
  return position - BigInt(policy.depth) + 1n;
}
