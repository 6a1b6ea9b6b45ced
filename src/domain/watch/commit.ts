import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import type { BalanceKey } from "../money/balance.ts";
import type { MatchedBlock } from "../money/matched-transaction.ts";
import type { WatchDifference } from "./watchlist.ts";

// The commits that the watcher asks the ledger to write of a chain's blocks, and their outcomes.

/**
 * The conditions of every commit that moves a chain's position on, and the height that it confirms.
 */
type Advance = {
  chainName: string;
  /** The position that the commit was planned on: the parent of the first block. */
  parent: Position;
  headNumber: bigint;
  /** The version of the watchlist that `match` starts from. */
  watchVersion: bigint;
  /**
   * Everything up to here becomes confirmed. If the confirmed height is already higher, nothing
   * does.
   */
  confirmedNumber: bigint;
  /**
   * True if enough endpoints agree on that height. If not, the transactions that it confirms are
   * marked (`confirmed_alone`).
   */
  isAgreed: boolean;
};

/**
 * The newest blocks, to be written in one transaction. They are one block, or several that came at
 * once and hold nothing except in the last.
 */
export type BlockCommit = Advance & {
  /** Consecutive, oldest first. */
  headers: readonly [BlockHeader, ...BlockHeader[]];
  /**
   * True if the transactions that a reorg has taken away may be settled with the last block. The
   * ledger settles them only if that block is not below the height at which that is due.
   */
  isSettled: boolean;
  /**
   * The transactions and sightings of the blocks that hold any. It is called with null before the
   * lock is there, and changes nothing then. If the watchlist has changed, it is called again under
   * the lock, with the changes above `watchVersion`. It must be quick. Null: the blocks were not
   * read for the changes.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
};

/** Several blocks, to be written in one transaction. */
export type RangeCommit = Advance & {
  /** Consecutive, oldest first, at least one. */
  headers: readonly BlockHeader[];
  /**
   * As for the newest blocks, without the blocks that hold nothing. It is called once, under the
   * lock. Null: the range was not read for the changes.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
};

/** The numbers of transactions and notifications that a commit has written. */
export type Written = {
  recorded: number;
  confirmed: number;
  dropped: number;
  reversed: number;
  notified: number;
};

/**
 * The ids of the transactions that a commit has recorded, and of those that it has confirmed. A
 * transaction may be among both.
 */
export type WrittenIds = { recorded: readonly string[]; confirmed: readonly string[] };

/**
 * The position is not the one that the commit was planned on. Another watcher, an undo or a reset
 * came first. Nothing was written.
 */
type PositionMoved = { kind: "position_moved" };

/** The watchlist has changed, and the blocks were not read for the changes. Nothing was written. */
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
 * Confirms everything up to `upTo`, while the position is still this one. `isSettled`: the
 * transactions that a reorg has taken away are settled as well, if that is due.
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

/** The step of a chain back from its position to an ancestor of it. */
export type Undo = { chainName: string; from: Position; ancestor: Position };

export type UndoOutcome =
  | { kind: "undone"; orphaned: number; openingsUndone: number }
  | PositionMoved;

/**
 * The movements that are asked for: those of these balances, in blocks above `since`, up to and
 * with `to`.
 */
export type WrittenOf = {
  chainName: string;
  since: bigint;
  to: bigint;
  balances: readonly BalanceKey[];
};

/**
 * A movement that is written, and the block that it is recorded in. `signedAtomic`: its effect on
 * the balance. `isUnproven`: it waits for its proof.
 */
export type WrittenMovement = BalanceKey & {
  identity: string;
  txHash: Hash;
  signedAtomic: bigint;
  isUnproven: boolean;
  blockNumber: bigint;
  blockHash: Hash;
};

/** All movements of one wallet and asset in a block, as its balances have shown them. */
export type ReadAgain = BalanceKey &
  MatchedBlock & {
    chainName: string;
    /** The movements that may be taken back: `all`, or only those that wait for their proof. */
    takesBack: "all" | "unproven";
  };

export type ReplaceOutcome =
  | ({ kind: "replaced" } & Omit<Written, "recorded">)
  /** The reading lacks a movement that it may not take back. Nothing was written. */
  | { kind: "held" }
  /**
   * The block is not the one that is stored for its height, or a reorg is being replayed. Nothing
   * was written.
   */
  | { kind: "moved" };

/** The contents of a confirmed block, as they were found when it was read again. */
export type FoundBlock = MatchedBlock & { chainName: string };

export type FoundOutcome =
  | ({ kind: "recorded" } & Pick<Written, "confirmed" | "notified">)
  /**
   * The block is not the one that is stored for its height, or is not confirmed (any more). Nothing
   * was written.
   */
  | { kind: "moved" };
