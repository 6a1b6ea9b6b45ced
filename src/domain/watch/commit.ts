import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import type { BalanceKey } from "../money/balance.ts";
import type { MatchedBlock } from "../money/matched-transaction.ts";
import type { WatchDifference, WatchMark } from "./watchlist.ts";

// The commits of a chain's blocks that the watcher gives to the ledger, and their outcomes.

/** Consecutive blocks for one transaction. */
export type BlocksCommit = {
  chainName: string;
  /**
   * - `newest`: one block of the head, or several that arrived together, of which only the last has
   *   contents. Pending transactions are notified.
   * - `range`: blocks far below the head. Pending transactions are not notified. Nothing is written
   *   while a reorg is replayed.
   */
  kind: "newest" | "range";
  /** The position on which the commit is based: the parent of the first block. */
  parent: Position;
  /** Oldest first. */
  headers: readonly [BlockHeader, ...BlockHeader[]];
  headNumber: bigint;
  /** Of the watchlist that `match` used. */
  watched: WatchMark;
  /**
   * Gives the transactions and sightings of the blocks that have any. It is called with null before
   * the lock is held, and must then change nothing. If the watchlist has changed, it is called
   * again under the lock, with the changes above `watched`. It must be quick. Null: the blocks
   * were not read for those changes.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
  /**
   * Everything up to this height becomes confirmed. If more is confirmed already, nothing changes.
   */
  confirmedNumber: bigint;
  /**
   * True if enough hosts agree on that height. If not, the transactions that it confirms are marked
   * (`confirmed_alone`).
   */
  isAgreed: boolean;
  /**
   * True if transactions that a reorg took away may be settled with the last block. The ledger does
   * so only from the height at which that is due.
   */
  isSettled: boolean;
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
 * The ids of the transactions that a commit has recorded and has confirmed. A transaction may be in
 * both lists.
 */
export type WrittenIds = { recorded: readonly string[]; confirmed: readonly string[] };

/**
 * The position is not the one on which the commit is based. Another watcher, an undo or a reset
 * came first. Nothing was written.
 */
type PositionMoved = { kind: "position_moved" };

/**
 * The watchlist has changed, and the blocks were not read for the changes. No block was written.
 */
type WatchChanged = { kind: "watch_changed" };

/**
 * The ledger does not have the last change of the watchlist. It went back in time, by a failover or
 * a restore. The list has to be read anew. No block was written.
 */
type WatchLost = { kind: "watch_lost" };

export type CommitOutcome =
  /** `confirmedNumber`: the chain's new confirmed height. */
  | ({ kind: "committed"; confirmedNumber: bigint | null; ids: WrittenIds } & Written)
  | PositionMoved
  | WatchChanged
  | WatchLost;

/**
 * Confirms everything up to `upTo`, if the position is still this one. `isSettled`: transactions
 * that a reorg took away may be settled too, if that is due.
 */
export type Confirmation = {
  chainName: string;
  position: Position;
  upTo: bigint;
  /** See BlocksCommit. */
  isAgreed: boolean;
  isSettled: boolean;
};

export type ConfirmOutcome =
  | ({ kind: "promoted"; confirmedIds: readonly string[] } & Omit<Written, "recorded">)
  | PositionMoved;

/** Takes a chain from its position back to an ancestor. */
export type Undo = { chainName: string; from: Position; ancestor: Position };

export type UndoOutcome =
  | { kind: "undone"; orphaned: number; openingsUndone: number }
  | PositionMoved;

/**
 * The wanted movements: those of these balances, in blocks above `since` and up to `to`, inclusive.
 */
export type WrittenOf = {
  chainName: string;
  since: bigint;
  to: bigint;
  balances: readonly BalanceKey[];
};

/**
 * A written movement and its block. `signedAtomic`: its effect on the balance. `isUnproven`: it
 * waits for its proof.
 */
export type WrittenMovement = BalanceKey & {
  identity: string;
  txHash: Hash;
  signedAtomic: bigint;
  isUnproven: boolean;
  blockNumber: bigint;
  blockHash: Hash;
};

/** All movements of one wallet and asset in a block, as confirmed by the wallet's balances. */
export type ReadAgain = BalanceKey &
  MatchedBlock & {
    chainName: string;
    /** The movements that may be taken back: `all`, or only those that wait for their proof. */
    takesBack: "all" | "unproven";
  };

export type ReplaceOutcome =
  | ({ kind: "replaced" } & Omit<Written, "recorded">)
  /** A movement is missing that may not be taken back. Nothing was written. */
  | { kind: "held" }
  /**
   * The block is not the stored one at its height, or a reorg is being replayed. Nothing was
   * written.
   */
  | { kind: "moved" };

/** The contents of a confirmed block that was read again. */
export type FoundBlock = MatchedBlock & { chainName: string };

export type FoundOutcome =
  | ({ kind: "recorded" } & Pick<Written, "confirmed" | "notified">)
  /**
   * The block is not the stored one at its height, or is not confirmed (any more). Nothing was
   * written.
   */
  | { kind: "moved" };
