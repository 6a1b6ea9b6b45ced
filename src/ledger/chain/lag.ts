import type { ChainHead } from "../../domain/chain/chain-status.ts";

/**
 * After this long without an answer a head is out of date. Heads are asked for at least every 30 s.
 */
const silentAfterMs = 60_000;

type Lag = { head: bigint | null; lagBlocks: bigint | null; lagSeconds: number | null };

/**
 * The distance of a position behind the head that endpoints name now. `known`, the head at the last
 * commit, is used while the watcher has seen no head. The lag in seconds is then the age of the
 * position's block, the most it can be. So it is if they name a head below the position. They have
 * lost blocks, and Chainbell waits until they are as high again.
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
  // The head may have been named before the position's block was there.
  const belowMs = head.number < position.number ? head.seenMs - position.timeMs : 0;
  const silentMs = nowMs - head.seenMs;
  const lasting = (ms: number) => (ms > silentAfterMs ? ms : 0);
  return Math.max(0, behindMs) + lasting(belowMs) + lasting(silentMs);
}
