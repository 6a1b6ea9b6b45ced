import type { ChainState } from "../../domain/chain/chain-state.ts";
import type { Statements } from "../postgres/statements.ts";

/**
 * One commit confirms about this many waiting transactions at most. They take some seconds, and
 * everybody else waits for the chain's row.
 */
const mostAtOnce = 5_000;

/** A rise by at most this many blocks is not looked at, since it saves each block a round trip. */
const usualRise = 64n;

/**
 * The new confirmed height, or null if it does not rise. It rises to the wanted height, at most to
 * the position, and never falls. If very many transactions wait below that, it rises by steps, and
 * the caller's next commit goes on. Null also for a chain that has not started. The caller holds
 * the chain's lock.
 */
export async function raisedTo(
  tx: Statements,
  { name, confirmedNumber }: ChainState,
  asked: bigint,
  positionNumber: bigint,
): Promise<bigint | null> {
  const upTo = asked < positionNumber ? asked : positionNumber;
  if (confirmedNumber === null || upTo <= confirmedNumber) return null;
  if (upTo - confirmedNumber <= usualRise) return upTo;
  const [next] = await tx.$queryRaw<{ number: bigint }[]>`
    SELECT block_number AS number FROM transaction
    WHERE chain_name = ${name} AND status = 'pending' AND NOT orphaned AND NOT unproven AND block_number <= ${upTo}
    ORDER BY block_number OFFSET ${mostAtOnce} LIMIT 1`;
  if (next === undefined) return upTo;
  // A block is confirmed whole, however many transactions it has.
  return next.number > confirmedNumber + 1n ? next.number - 1n : confirmedNumber + 1n;
}
