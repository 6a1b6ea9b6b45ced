import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import type { BalanceKey } from "../money/balance.ts";
import type { MatchedBlock } from "../money/matched-transaction.ts";
import type { WatchDifference } from "./watchlist.ts";

// What the watcher asks the ledger to write of a chain's blocks, and what came of it.

/** What every commit that moves a chain's position on is conditional on, and what it confirms. */
type Advance = {
  chainName: string;
  /** The position it was planned on: the parent of the first block. */
  parent: Position;
  headNumber: bigint;
  /** The version of the watchlist that `match` starts from. */
  watchVersion: bigint;
  /** Everything up to here becomes confirmed; below the height that already is, nothing does. */
  confirmedNumber: bigint;
  /** Whether that is what enough endpoints agree with; else what is confirmed is marked (`confirmed_alone`). */
  isAgreed: boolean;
};

/** The newest blocks, to be written in one transaction: one, or some that came at once and hold nothing with the next. */
export type BlockCommit = Advance & {
  /** Consecutive, oldest first. */
  headers: readonly [BlockHeader, ...BlockHeader[]];
  /**
   * Whether what a reorganisation has taken away may be settled with the last block; it is not below the height at which
   * that is due.
   */
  isSettled: boolean;
  /**
   * The transactions of the blocks that hold any. Called once, under the lock, with what changed above `watchVersion`, or
   * null when nothing did: pure and quick. Null where the blocks were not read for what has changed.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
};

/** Several blocks, to be written in one transaction. */
export type RangeCommit = Advance & {
  /** Consecutive, oldest first, at least one. */
  headers: readonly BlockHeader[];
  /**
   * As for one block, without the blocks that hold nothing. Null where the range was not read for what has changed.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
};

/** How many transactions and notifications a commit has written. */
export type Written = {
  recorded: number;
  confirmed: number;
  dropped: number;
  reversed: number;
  notified: number;
};

/** The ids of the transactions that a commit has recorded, and of those that it has confirmed; one may be among both. */
export type WrittenIds = { recorded: readonly string[]; confirmed: readonly string[] };

/** The position is not the one it was decided on: another watcher, an undo or a reset came first. Nothing was written. */
type PositionMoved = { kind: "position_moved" };

/** What is watched has changed, and the blocks were not read for it. Nothing was written. */
type WatchChanged = { kind: "watch_changed" };

export type CommitOutcome =
  /** `confirmedNumber`: the chain's confirmed height from now on. */
  | ({ kind: "committed"; confirmedNumber: bigint | null; ids: WrittenIds } & Written)
  | PositionMoved
  | WatchChanged;

export type RangeOutcome =
  | ({ kind: "committed"; ids: WrittenIds } & Pick<Written, "recorded" | "confirmed" | "notified">)
  | PositionMoved
  | WatchChanged;

/**
 * Everything up to `upTo` is confirmed, while the position is still this one; `isSettled`: and what a reorganisation has
 * taken away is settled, where that is due.
 */
export type Confirmation = {
  chainName: string;
  position: Position;
  upTo: bigint;
  /** See Advance. */
  isAgreed: boolean;
  isSettled: boolean;
};

export type ConfirmOutcome =
  | ({ kind: "promoted"; confirmedIds: readonly string[] } & Omit<Written, "recorded">)
  | PositionMoved;

/** The chain goes back from its position to an ancestor of it. */
export type Undo = { chainName: string; from: Position; ancestor: Position };

export type UndoOutcome =
  | { kind: "undone"; orphaned: number; openingsUndone: number }
  | PositionMoved;

/** Which movements: of these balances, in blocks above `since`, up to and with `to`. */
export type WrittenOf = {
  chainName: string;
  since: bigint;
  to: bigint;
  balances: readonly BalanceKey[];
};

/** A movement that is written, and the block that it is said to be in. */
export type WrittenMovement = BalanceKey & {
  identity: string;
  blockNumber: bigint;
  blockHash: Hash;
};

/** All that a block holds of one wallet and asset, as two readings have shown. */
export type ReadAgain = BalanceKey &
  MatchedBlock & {
    chainName: string;
    /** What may be taken back: `all`, or only what waits for its proof. */
    takesBack: "all" | "unproven";
  };

export type ReplaceOutcome =
  | ({ kind: "replaced" } & Omit<Written, "recorded">)
  /** It lacks something that it may not take back. Nothing was written. */
  | { kind: "held" }
  /** The block is not the one that is stored for its height, or a reorganisation is being replayed. Nothing was written. */
  | { kind: "moved" };

/** What a confirmed block was found to hold when it was read again. */
export type FoundBlock = MatchedBlock & { chainName: string };

export type FoundOutcome =
  | ({ kind: "recorded" } & Pick<Written, "confirmed" | "notified">)
  /** The block is not the one that is stored for its height, or not confirmed (any more). Nothing was written. */
  | { kind: "moved" };
