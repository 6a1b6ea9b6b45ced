import type { Hash, Position } from "../chain/block.ts";
import type { ChainStart, FoundState, StartWait } from "../chain/chain-state.ts";
import type { ChainHead, OpeningProgress, ReportedReading } from "../chain/chain-status.ts";
import type { FaultCode } from "../fault.ts";
import type { BalanceKey } from "../money/balance.ts";
import type { ChangeCursor, ProvenChange, WaitingChanges } from "../money/balance-change.ts";
import type {
  ComparedBalances,
  Correction,
  FinishedReconciliation,
  LedgerBalancesAsked,
  LedgerBalancesPage,
} from "../money/reconciliation.ts";
import type { ReportedSighting, UnreportedSighting } from "../money/sighting.ts";
import type {
  BlocksCommit,
  CommitOutcome,
  Confirmation,
  ConfirmOutcome,
  FoundBlock,
  FoundOutcome,
  ReadAgain,
  ReplaceOutcome,
  Undo,
  UndoOutcome,
  Written,
  WrittenMovement,
  WrittenOf,
} from "./commit.ts";
import type {
  HistoryCursor,
  HistoryStretch,
  HistorySum,
  HistoryVerdict,
  PlannedHistory,
  ReadHistory,
  StretchOutcome,
} from "./history.ts";
import type {
  DueOpenings,
  NextBalances,
  OpeningCorrection,
  ReadOpening,
  RecordedOpening,
} from "./opening.ts";
import type { Watchlist } from "./watchlist.ts";

// The methods of the ledger for a chain's watchers, one type for each reader. Each method is one
// transaction or one query, and safe to repeat. It fails with Fault `database_unavailable` if the
// database is out of reach. The full contract of a method is at the function of that name in
// src/ledger.

/**
 * The block of the oldest transaction that waits for confirmation. Its time is null if the block is
 * not stored (any more).
 */
export type OldestPending = { number: bigint; timeMs: number | null };

/** For the loop at the head, which moves a chain's position. */
export type HeadLedger = {
  /** @throws Fault `chain_not_found` */
  readChainState: (chainName: string) => Promise<FoundState>;
  readWatchlist: (chainName: string) => Promise<Watchlist>;
  /** The stored hash at a height; null: the window does not have it. */
  readHash: (chainName: string, number: bigint) => Promise<Hash | null>;
  /**
   * The highest stored block that is at least `ageMs` older than the tip, by the times of both.
   * Null: there is none. A tip that is stored needs no time.
   */
  readAgedHeight: (
    chainName: string,
    tip: Position & { timeMs: number | null },
    ageMs: number,
  ) => Promise<bigint | null>;
  /**
   * The block of the oldest transaction that waits only for the confirmed height; null: there is
   * none.
   */
  readOldestPending: (chainName: string) => Promise<OldestPending | null>;
  /** The stored window, newest first. */
  readWindow: (chainName: string) => Promise<Position[]>;
  /** The wallet that waits longest for the chain's first position. Null: none waits. */
  readStartWait: (chainName: string) => Promise<StartWait | null>;
  startChain: (start: ChainStart) => Promise<void>;
  commitBlocks: (commit: BlocksCommit) => Promise<CommitOutcome>;
  confirmUpTo: (confirmation: Confirmation) => Promise<ConfirmOutcome>;
  undoBlocks: (undo: Undo) => Promise<UndoOutcome>;
  /** Records why a chain is stopped. `why` null: it goes on. */
  markStopped: (
    chainName: string,
    why: { code: FaultCode; reason: string } | null,
  ) => Promise<void>;
  writeReading: (chainName: string, reading: ReportedReading) => Promise<void>;
  noteLag: (chainName: string, seen: { head: ChainHead | null; nowMs: number }) => Promise<void>;
};

/** For openings, and for changes that wait for their proof. */
export type BalanceLedger = Pick<CorrectingLedger, "replaceRead"> & {
  readPosition: (chainName: string) => Promise<Position | null>;
  readDueOpenings: (
    chainName: string,
    page: { after: BalanceKey | null; limit: number },
  ) => Promise<DueOpenings>;
  /** Null: there is nothing to make. */
  readNextBalances: (chainName: string, limit: number) => Promise<NextBalances | null>;
  /** Answers the progress of the asset whose balances were made; null: they were made already. */
  makeBalances: (
    next: NextBalances,
    openings: readonly ReadOpening[],
  ) => Promise<OpeningProgress | null>;
  /** Answers how many openings it recorded. */
  recordOpenings: (chainName: string, openings: readonly ReadOpening[]) => Promise<number>;
  readUnproven: (
    chainName: string,
    page: { after: ChangeCursor | null; limit: number },
  ) => Promise<WaitingChanges>;
  acceptProven: (
    chainName: string,
    changes: readonly ProvenChange[],
  ) => Promise<
    { accepted: number; confirmedIds: readonly string[] } & Pick<Written, "confirmed" | "notified">
  >;
  recordDiscrepancies: (chainName: string, compared: ComparedBalances) => Promise<void>;
};

/** For corrections after a wrong answer of an endpoint. */
export type CorrectingLedger = {
  readWritten: (asked: WrittenOf) => Promise<WrittenMovement[]>;
  replaceRead: (read: ReadAgain) => Promise<ReplaceOutcome>;
  /** Null: the opening is not read yet. */
  readOpening: (balance: BalanceKey) => Promise<RecordedOpening | null>;
  correctOpening: (
    chainName: string,
    correction: OpeningCorrection,
  ) => Promise<"corrected" | "moved">;
};

/** For the stored hashes with which old blocks are compared. */
export type OldBlockLedger = {
  /** The lowest stored hash at or above a height; null: there is none. */
  readAnchor: (chainName: string, number: bigint) => Promise<Position | null>;
  /** Stores hashes of ancestors of a stored block, if that block is still stored. */
  keepCheckpoints: (
    chainName: string,
    kept: { of: Position; checkpoints: readonly Position[] },
  ) => Promise<void>;
};

/** For the comparison with the chain. */
export type ReconcileLedger = Pick<HeadLedger, "readHash"> &
  CorrectingLedger &
  Pick<BalanceLedger, "recordDiscrepancies"> & {
    /** The height up to which ledger and chain last agreed; null: not compared yet. */
    readAgreed: (chainName: string) => Promise<bigint | null>;
    readLedgerBalances: (asked: LedgerBalancesAsked) => Promise<LedgerBalancesPage | null>;
    /** A confirmed balance of the ledger at a height, in atomic units. */
    readConfirmedAt: (balance: BalanceKey, number: bigint) => Promise<bigint>;
    recordFound: (found: FoundBlock) => Promise<FoundOutcome>;
    recordCorrection: (chainName: string, correction: Correction) => Promise<"corrected" | "moved">;
    /** `moved`: the block of the comparison has left the chain, and nothing was written. */
    finishReconciliation: (finished: FinishedReconciliation) => Promise<"finished" | "moved">;
    /** Ends leaving wallets whose balances are all in `empty`. Answers how many ended. */
    endLeaving: (chainName: string, empty: readonly BalanceKey[]) => Promise<number>;
  };

/** For the histories of wallets. */
export type HistoryLedger = {
  readHistoryPlan: (
    chainName: string,
    page: { after: HistoryCursor | null; maxBlocks: bigint },
  ) => Promise<PlannedHistory>;
  recordHistory: (stretch: HistoryStretch) => Promise<StretchOutcome>;
  /** Null: an opening is not read yet. */
  readHistorySums: (walletId: string) => Promise<HistorySum[] | "unknown" | null>;
  finishHistory: (history: ReadHistory, verdict: HistoryVerdict) => Promise<"kept" | "moved">;
};

/** For sightings of tokens that are not configured. */
export type SightingLedger = {
  readUnreported: (chainName: string, limit: number) => Promise<UnreportedSighting[]>;
  reportSightings: (
    chainName: string,
    reported: readonly ReportedSighting[],
  ) => Promise<{ notified: number }>;
};

/** Leases decide which of several processes does the work. */
export type LeaseLedger = {
  /** Takes or extends a lease, or gives it up where another process waits for it. */
  borrowLease: (lease: { name: string; holder: string; ttlMs: number }) => Promise<boolean>;
  /** Takes or extends a lease, or gives it to a waiting process that has two leases fewer. */
  shareLease: (lease: { name: string; holder: string; ttlMs: number }) => Promise<boolean>;
  waitForLease: (lease: { name: string; holder: string; ttlMs: number }) => Promise<void>;
  releaseLease: (lease: { name: string; holder: string }) => Promise<void>;
};
