import type { ChainState } from "../../domain/chain/chain-state.ts";

/**
 * The height to which what is confirmed rises, or null where it does not: to what is asked for, at
 * most to the position, and it never falls. A chain that has not started has none.
 */
export function raisedTo(
  { confirmedNumber }: ChainState,
  asked: bigint,
  positionNumber: bigint,
): bigint | null {
  const upTo = asked < positionNumber ? asked : positionNumber;
  return confirmedNumber !== null && confirmedNumber < upTo ? upTo : null;
}
