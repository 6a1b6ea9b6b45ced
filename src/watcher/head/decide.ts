import type { BlockHeader, Hash, Position } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import { lastOf } from "../../domain/last-of.ts";
import type { HeadAnswer, TaggedBlock } from "../../domain/watch/chain-source.ts";
import type { OldestPending } from "../../domain/watch/watcher-ledger.ts";
import type { Stretch } from "../catch-up/plan-stretch.ts";
import type { ReadBlock } from "./read-next.ts";

// Decides the next action of a watcher, from the place of the chain and from what has been seen.
// Pure.

/**
 * Where the chain is, as its watcher knows it. The watcher stores a position nowhere else. All of
 * it may be lost at any time. A write happens only if the ledger still has the position that the
 * decision was made on (docs/invariants.md#i5).
 */
export type Head =
  /** After a start or a failure, and until the chain has its first position. */
  { kind: "unknown" } | Known | Batching | CatchingUp;

type Place = {
  /** The last block that was written. While batching: the last that was read. */
  tip: Position;
  confirmedNumber: bigint | null;
  /** The chain's head, as last seen. Null: it has to be asked for. */
  headNumber: bigint | null;
  /** The head at which the chain was found to be too near for ranges. */
  nearHead: bigint | null;
  /** When the last block was read. Null: none since the last failure. */
  readMs: number | null;
  /**
   * True after a change of the watchlist. The next block is read whole, so that any list can be
   * matched with it.
   */
  isWhole: boolean;
};

/** The place after the last look at the ledger, or after our own last commit. */
export type Known = Place & { kind: "known" };

/** Some blocks are read and proved, contain nothing that is watched, and share the next commit. */
export type Batching = Place & { kind: "batching"; batch: Batch };

/** Blocks far below the head are read ahead in ranges. */
type CatchingUp = Place & { kind: "catching_up"; stretch: Stretch };

/** Consecutive blocks that are not written yet. If they are lost, they are read again. */
type Batch = {
  /** The state of the chain that the blocks are written on. */
  state: ChainState;
  /** Oldest first. */
  blocks: readonly [ReadBlock, ...ReadBlock[]];
  /** The oldest transaction that waited for confirmation when the first of the blocks was read. */
  oldestPending: OldestPending | null;
};

/** The answers since the last write or wait. */
export type Seen = {
  /** True if the ledger was read. While batching: true if an announced block was asked for. */
  hasLooked: boolean;
  /** The state of the chain in the ledger. Null: not read. */
  state: ChainState | null;
  /**
   * The genesis hash of the endpoint, which is asked for while the place is unknown. Null: not
   * asked.
   */
  genesisHash: Hash | null;
  /** The block above the tip, on any branch. Null: not read. */
  next: ReadBlock | null;
  /** The head that an endpoint answered. Null: not asked. */
  head: HeadAnswer | null;
  /** The hash that the ledger has at that head's height. Undefined: not read. */
  storedAtHead: Hash | null | undefined;
  /** Undefined: not read. */
  oldestPending: OldestPending | null | undefined;
  /** True if a request has failed while blocks wait in a batch. */
  hasFailed: boolean;
  /**
   * The last action.
   * - `commit`: a commit after which nothing more can be confirmed or settled.
   * - `catch_up`: the stretch did not fit the tip.
   * - `confirm`, `undo`, `start`: tried, and the result is known.
   */
  done: "commit" | "catch_up" | "confirm" | "undo" | "start" | null;
};

export const nothingSeen: Seen = {
  hasLooked: false,
  state: null,
  genesisHash: null,
  next: null,
  head: null,
  storedAtHead: undefined,
  oldestPending: undefined,
  hasFailed: false,
  done: null,
};

/** Facts that need no request. */
export type Now = {
  ms: number;
  /** The head that a websocket announced. Null: no websocket announces heads. */
  announced: Position | null;
  /** For how many ms the head need not be asked for. */
  quietMs: number;
};

export type Rules = { policy: ConfirmationPolicy; farBlocks: bigint };

export type Next =
  /**
   * Reads the ledger's state, except while batching, and at the same time the block above the tip.
   * `announced`: only if that block is announced. `next`: an announced one, else the one of its
   * height.
   */
  | { kind: "look"; beside: "nothing" | "announced" | "next" }
  | { kind: "start" }
  /** Asks for the head, and opens a stretch if the confirmed height is far away. */
  | { kind: "plan_stretch" }
  | { kind: "catch_up"; state: ChainState; stretch: Stretch }
  | { kind: "ask_head" }
  | { kind: "read_hash"; number: bigint }
  | { kind: "read_block"; number: bigint }
  | { kind: "read_pending" }
  | { kind: "batch"; batch: Batch }
  /** Drops the batch, because its blocks have left the chain before they were written. */
  | { kind: "drop_batch"; state: ChainState }
  /** Writes these blocks on this state. */
  | { kind: "commit"; state: ChainState; blocks: Batch["blocks"] }
  | { kind: "confirm"; state: ChainState }
  /** `lowerHead`: the height of the new branch if it is below the tip, else null. */
  | { kind: "undo"; state: ChainState; lowerHead: bigint | null }
  /** Waits for this many ms. Null: the usual time. */
  | { kind: "wait"; ms: number | null; why: "at_head" | "batching" | "lagging" | "held" | "early" };

/** The ledger is read, and the lease renewed, at least this often, in ms. */
const longestWaitMs = 1_500;

/** A block that follows the one before it within this time, in ms, shares its commit. */
const togetherMs = 250;

/** The longest that a block waits in a batch, in ms, so that readers see the chain move. */
const longestBatchMs = 1_000;

const mostInBatch = 64;

/** Decides what comes next. See Next. */
export function decide(head: Head, seen: Seen, now: Now, rules: Rules): Next {
  if (head.kind === "batching") return decideBatching(head, seen, now, rules);
  const { state, done } = seen;
  if (state === null)
    return done === "commit" && head.kind === "known" && isAtHead(head, now)
      ? waitAtHead(now)
      : { kind: "look", beside: besideLook(head, rules) };
  if (head.kind === "unknown")
    return done === "start" ? { kind: "wait", ms: null, why: "early" } : { kind: "start" };
  if (done === "confirm") return waitAtHead(now);
  if (done === "undo") return { kind: "wait", ms: null, why: "held" };
  if (head.kind === "catching_up") return { kind: "catch_up", state, stretch: head.stretch };
  if (mayPlanStretch(seen, state) && mayBeFar(head, rules)) return { kind: "plan_stretch" };
  const found = findNext(head, seen, now);
  switch (found.kind) {
    case "follows":
      return take({ head, before: null, state }, found.block, { seen, now, rules });
    case "at_head":
      return { kind: "confirm", state };
    case "lagging":
      return { kind: "wait", ms: null, why: "lagging" };
    case "reorganised":
      return { kind: "undo", state, lowerHead: found.lowerHead };
    default:
      return found;
  }
}

/** Does not read the ledger: the commit finds out whether its position has moved. */
function decideBatching(head: Batching, seen: Seen, now: Now, rules: Rules): Next {
  const { batch, tip, headNumber } = head;
  const { state, blocks } = batch;
  const leftMs = mayWaitMs(batch, now.ms);
  // If the next block cannot be read, the batch does not wait for it.
  if (seen.next === null && (leftMs <= 0 || seen.hasFailed))
    return { kind: "commit", state, blocks };
  if (!seen.hasLooked) return { kind: "look", beside: "announced" };
  const isHigher = (number: bigint | undefined | null) => (number ?? -1n) > tip.number;
  if (seen.next === null && !isHigher(headNumber) && !isHigher(now.announced?.number))
    return { kind: "wait", ms: leftMs, why: "batching" };
  const found = findNext(head, seen, now);
  switch (found.kind) {
    case "follows":
      return take({ head, before: batch, state }, found.block, { seen, now, rules });
    case "at_head":
    case "lagging":
      return { kind: "commit", state, blocks };
    case "reorganised":
      return { kind: "drop_batch", state };
    default:
      return found;
  }
}

function besideLook(
  head: Exclude<Head, Batching>,
  rules: Rules,
): Extract<Next, { kind: "look" }>["beside"] {
  if (head.kind !== "known") return "nothing";
  const { headNumber, tip } = head;
  const isThere = headNumber !== null && headNumber > tip.number;
  return isThere && !mayBeFar(head, rules) ? "next" : "announced";
}

/**
 * True if a stretch may be planned now. Not during a reorg, which is read block by block. Not if
 * the head was just asked for, since a plan would ask again. Then the next block is read first.
 */
function mayPlanStretch({ done, head }: Seen, { settleNumber }: ChainState): boolean {
  return settleNumber === null && done !== "catch_up" && head === null;
}

/** True if the chain may be far enough behind for ranges. */
function mayBeFar({ headNumber, tip, nearHead }: Place, { farBlocks }: Rules): boolean {
  if (headNumber === null) return true;
  return headNumber - tip.number > farBlocks && headNumber !== nearHead;
}

/** True if the tip is known to be the head, without a request. */
function isAtHead({ headNumber, tip }: Place, { announced, quietMs }: Now): boolean {
  return announced?.hash === tip.hash || (headNumber === tip.number && quietMs > 0);
}

function waitAtHead({ quietMs }: Now): Next {
  return {
    kind: "wait",
    ms: quietMs > 0 ? Math.min(quietMs, longestWaitMs) : null,
    why: "at_head",
  };
}

/** The block above the tip, how to get it, or why there is none. */
type Found =
  | { kind: "follows"; block: ReadBlock }
  | Extract<Next, { kind: "read_block" | "ask_head" | "read_hash" }>
  | { kind: "at_head" }
  /**
   * The endpoint's head is an ancestor of the tip: the endpoint is behind, and there is no reorg.
   */
  | { kind: "lagging" }
  /** The endpoint no longer serves the branch of the tip. */
  | { kind: "reorganised"; lowerHead: bigint | null };

function findNext(place: Place, seen: Seen, now: Now): Found {
  const { tip, headNumber } = place;
  const { next, head, storedAtHead } = seen;
  if (next !== null)
    return next.block.header.parentHash === tip.hash
      ? { kind: "follows", block: next }
      : { kind: "reorganised", lowerHead: null };
  if (headNumber !== null && headNumber > tip.number)
    return { kind: "read_block", number: tip.number + 1n };
  if (isAtHead(place, now)) return { kind: "at_head" };
  if (head === null) return { kind: "ask_head" };
  if (head.number === tip.number)
    return head.hash === tip.hash ? { kind: "at_head" } : { kind: "reorganised", lowerHead: null };
  if (storedAtHead === undefined) return { kind: "read_hash", number: head.number };
  return storedAtHead === head.hash
    ? { kind: "lagging" }
    : { kind: "reorganised", lowerHead: head.number };
}

/** Writes a block that follows the tip, or adds it to the batch for the next commit. */
function take(
  on: { head: Place; before: Batch | null; state: ChainState },
  block: ReadBlock,
  { seen, now, rules }: { seen: Seen; now: Now; rules: Rules },
): Next {
  const { head, before, state } = on;
  const commit: Next = {
    kind: "commit",
    state,
    blocks: before === null ? [block] : [...before.blocks, block],
  };
  const isSoon = head.readMs !== null && block.readMs - head.readMs <= togetherMs;
  if (!isSoon || block.isOurs || state.settleNumber !== null) return commit;
  const isNewest = (head.headNumber ?? 0n) <= block.block.header.number;
  // Without announcements, this block would wait until the head is asked for again.
  if (isNewest && now.announced === null) return commit;
  const oldestPending = before === null ? seen.oldestPending : before.oldestPending;
  if (oldestPending === undefined) return { kind: "read_pending" };
  const batch = { state, blocks: commit.blocks, oldestPending };
  const tag = batch.blocks[0].tag;
  if (confirmsPending(oldestPending, { tip: block.block.header, policy: rules.policy, tag }))
    return commit;
  return mayWaitMs(batch, now.ms) > 0 ? { kind: "batch", batch } : commit;
}

/** For how many ms the batch may still wait for the next block. Zero or less: it is written now. */
function mayWaitMs({ blocks }: Batch, nowMs: number): number {
  if (blocks.length >= mostInBatch) return 0;
  const [first] = blocks;
  return Math.min(first.readMs + longestBatchMs, lastOf(blocks).readMs + togetherMs) - nowMs;
}

/** True if a position at `tip` would confirm a waiting transaction. */
function confirmsPending(
  oldest: OldestPending | null,
  of: { tip: BlockHeader; policy: ConfirmationPolicy; tag: TaggedBlock | null },
): boolean {
  if (oldest === null) return false;
  const { tip, policy, tag } = of;
  if (policy.kind === "age")
    return oldest.timeMs === null || oldest.timeMs <= tip.timeMs - policy.ageMs;
  return confirmedHeight(tip.number, policy, tag?.number ?? null) >= oldest.number;
}
