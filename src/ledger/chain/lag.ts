import type { ChainHead } from "../../domain/chain/chain-status.ts";

/** Heads are asked for at least every half minute; longer without an answer is silence. */
const silentAfterMs = 60_000;

type Lag = { head: bigint | null; lagBlocks: bigint | null; lagSeconds: number | null };

/**
 * The lag of a position behind the head that endpoints name now. `known` is the head of the last
 * commit, for a chain whose watcher has not heard of a head yet. Then the lag in seconds is the age
 * of the position's block, the most it can be.
 */
export function lagOf(
  position: { number: bigint; timeMs: number } | null,
  heads: { named: ChainHead | null; known: bigint | null },
  nowMs: number,
): Lag {
  const { named, known } = heads;
  const number = named?.number ?? known;
  if (position === null || number === null)
    return { head: number, lagBlocks: null, lagSeconds: null };
  const lagBlocks = number > position.number ? number - position.number : 0n;
  const lagMs = named === null ? nowMs - position.timeMs : lagMsOf(position, named, nowMs);
  const head = position.number + lagBlocks;
  return { head, lagBlocks, lagSeconds: Math.floor(Math.max(0, lagMs) / 1_000) };
}

function lagMsOf(
  position: { number: bigint; timeMs: number },
  head: ChainHead,
  nowMs: number,
): number {
  const behindMs = head.number > position.number ? head.timeMs - position.timeMs : 0;
  const silentMs = nowMs - head.seenMs;
  return Math.max(0, behindMs) + (silentMs > silentAfterMs ? silentMs : 0);
}
