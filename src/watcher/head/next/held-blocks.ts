import type { BlockHeader, Position } from "../../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../../domain/chain/confirmation.ts";
import type { TaggedBlock } from "../../../domain/watch/chain-source.ts";
import type { RangeBlock } from "../../../domain/watch/watch-filter.ts";
import type { OldestPending } from "../../../domain/watch/watcher-ledger.ts";

/**
 * The newest blocks after the position in the ledger, oldest first: read and proved, with nothing in them that is
 * watched, and not written yet. They are written with the next block that has to be. Losing them costs reading them again.
 */
export type HeldBlocks = {
  blocks: readonly [RangeBlock, ...RangeBlock[]];
  /** Read before all of them; null where the policy needs none. */
  tag: TaggedBlock | null;
  /** When the first of them was read. */
  sinceMs: number;
  /** When the last of them was. */
  lastMs: number;
  /** What waited to be confirmed when the first of them was read. */
  oldestPending: OldestPending | null;
};

/** Blocks that follow each other so soon, in ms, share a commit. */
const togetherMs = 250;

/** However fast blocks come, they are written this soon, in ms: whoever looks at the chain sees it move. */
const longestMs = 1_000;

/** And so many at most. */
const mostBlocks = 64;

/** How long the next block may be waited for, in ms; zero or less: they are to be written now. */
export function mayWaitMs({ blocks, sinceMs, lastMs }: HeldBlocks, now: number): number {
  if (blocks.length >= mostBlocks) return 0;
  return Math.min(sinceMs + longestMs, lastMs + togetherMs) - now;
}

/** Whether blocks come so fast that the one before this one was read a moment ago. */
export function isSoon(lastMs: number | null, now: number): boolean {
  return lastMs !== null && now - lastMs <= togetherMs;
}

/** Whether a position at `tip` would confirm something that waits. */
export function confirmsPending(
  oldest: OldestPending | null,
  of: { tip: BlockHeader; policy: ConfirmationPolicy; tag: TaggedBlock | null },
): boolean {
  if (oldest === null) return false;
  const { tip, policy, tag } = of;
  if (policy.kind === "age")
    return oldest.timeMs === null || oldest.timeMs <= tip.timeMs - policy.ageMs;
  return confirmedHeight(tip.number, policy, tag?.number ?? null) >= oldest.number;
}

/** The last block that was read: the ledger's position, where none are held. */
export function tipOf(held: HeldBlocks | null, position: Position): Position {
  return held === null ? position : (held.blocks.at(-1) ?? held.blocks[0]).header;
}

/** The same with one more at the end. */
export function append(
  blocks: readonly RangeBlock[],
  block: RangeBlock,
): readonly [RangeBlock, ...RangeBlock[]] {
  const [first, ...others] = blocks;
  return first === undefined ? [block] : [first, ...others, block];
}
