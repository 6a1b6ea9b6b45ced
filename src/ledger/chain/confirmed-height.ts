import type { ChainState } from "../../domain/chain/chain-state.ts";

/**
 * The new confirmed height, or null if it does not rise. It rises to the wanted height, at most to
 * the position, and never falls. Null also for a chain that has not started.
 */
export function raisedTo(
  { confirmedNumber }: ChainState,
  asked: bigint,
  positionNumber: bigint,
): bigint | null {
  const upTo = asked < positionNumber ? asked : positionNumber;
  return confirmedNumber !== null && confirmedNumber < upTo ? upTo : null;
}
