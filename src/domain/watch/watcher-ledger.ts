import type { Hash, Position } from "../chain/block.ts";
import type { ChainStart, ChainState } from "../chain/chain-state.ts";
import type { ChainHead, ReportedReading } from "../chain/chain-status.ts";
import type { FaultCode } from "../fault.ts";
import type { BalanceKey } from "../money/balance.ts";
import type { ProvenChange, WaitingChange } from "../money/balance-change.ts";
import type {
  ComparedBalances,
  Correction,
  FinishedReconciliation,
  LedgerBalancesAsked,
  LedgerBalancesPage,
} from "../money/reconciliation.ts";
import type {
  BlockCommit,
  CommitOutcome,
  Confirmation,
  ConfirmOutcome,
  FoundBlock,
  FoundOutcome,
  RangeCommit,
  RangeOutcome,
  ReadAgain,
  ReplaceOutcome,
  Undo,
  UndoOutcome,
  Written,
  WrittenMovement,
  WrittenOf,
} from "./commit.ts";
import type {
  HistoryPlan,
  HistoryStretch,
  HistorySum,
  HistoryVerdict,
  StretchOutcome,
} from "./history.ts";
import type { DueOpening, OpeningCorrection, ReadOpening, RecordedOpening } from "./opening.ts";
import type { Watchlist } from "./watchlist.ts";

// What those who watch a chain ask of the ledger, one type for each reader. Each method is one transaction or one query and
// safe to repeat; it fails with Fault `database_unavailable` where the database is out of reach. The contract
// of each stands at the function of its name in src/ledger.

/** Where what waits to be confirmed begins. Its time is null where its block is not stored (any more). */
export type OldestPending = { number: bigint; timeMs: number | null };

/** What moves a chain's position: the loop at the head. */
export type HeadLedger = {
  /** @throws Fault `chain_not_found` */
  readChainState: (chainName: string) => Promise<ChainState>;
  readWatchlist: (chainName: string) => Promise<Watchlist>;
  /** The stored hash of a height, or null where the window does not hold it. */
  readHash: (chainName: string, number: bigint) => Promise<Hash | null>;
  /**
   * The highest stored block that is at least so much (ms) older than the tip, by the times of both; null: none is. A tip
   * that is stored needs no time.
   */
  readAgedHeight: (
    chainName: string,
    tip: Position & { timeMs: number | null },
    ageMs: number,
  ) => Promise<bigint | null>;
  /** The block of the oldest transaction that the confirmed height will confirm; null: nothing waits for that. */
  readOldestPending: (chainName: string) => Promise<OldestPending | null>;
  /** The stored window, newest first. */
  readWindow: (chainName: string) => Promise<Position[]>;
  startChain: (start: ChainStart) => Promise<void>;
  commitBlock: (commit: BlockCommit) => Promise<CommitOutcome>;
  confirmUpTo: (confirmation: Confirmation) => Promise<ConfirmOutcome>;
  undoBlocks: (undo: Undo) => Promise<UndoOutcome>;
  /** Null: the chain goes on. */
  markStopped: (
    chainName: string,
    why: { code: FaultCode; reason: string } | null,
  ) => Promise<void>;
  writeReading: (chainName: string, reading: ReportedReading) => Promise<void>;
  noteLag: (chainName: string, seen: { head: ChainHead | null; nowMs: number }) => Promise<void>;
};

/** What moves a position that is far behind. */
export type CatchUpLedger = Pick<HeadLedger, "readHash" | "readAgedHeight"> & {
  commitRange: (commit: RangeCommit) => Promise<RangeOutcome>;
};

/** Openings, and what waits for its proof. */
export type BalanceLedger = Pick<CorrectingLedger, "replaceRead"> & {
  readPosition: (chainName: string) => Promise<Position | null>;
  readDueOpenings: (chainName: string, limit: number) => Promise<DueOpening[]>;
  /** Answers how many were recorded. */
  recordOpenings: (chainName: string, openings: readonly ReadOpening[]) => Promise<number>;
  readUnproven: (chainName: string, limit: number) => Promise<WaitingChange[]>;
  acceptProven: (
    chainName: string,
    changes: readonly ProvenChange[],
  ) => Promise<
    { accepted: number; confirmedIds: readonly string[] } & Pick<Written, "confirmed" | "notified">
  >;
  recordDiscrepancies: (chainName: string, compared: ComparedBalances) => Promise<void>;
};

/** What corrects what an endpoint was believed for. */
export type CorrectingLedger = {
  readWritten: (asked: WrittenOf) => Promise<WrittenMovement[]>;
  replaceRead: (read: ReadAgain) => Promise<ReplaceOutcome>;
  /** Null: it is not read yet. */
  readOpening: (balance: BalanceKey) => Promise<RecordedOpening | null>;
  correctOpening: (
    chainName: string,
    correction: OpeningCorrection,
  ) => Promise<"corrected" | "moved">;
};

/** What old blocks are held against. */
export type OldBlockLedger = {
  /** The lowest stored hash at or above a height; null: there is none. */
  readAnchor: (chainName: string, number: bigint) => Promise<Position | null>;
  /** Keeps hashes of ancestors of a stored block. */
  keepCheckpoints: (chainName: string, checkpoints: readonly Position[]) => Promise<void>;
};

/** What compares the ledger with the chain. */
export type ReconcileLedger = Pick<HeadLedger, "readHash"> &
  CorrectingLedger &
  Pick<BalanceLedger, "recordDiscrepancies"> & {
    /** Up to which height ledger and chain were last found to agree; null: nowhere yet. */
    readAgreed: (chainName: string) => Promise<bigint | null>;
    readLedgerBalances: (asked: LedgerBalancesAsked) => Promise<LedgerBalancesPage | null>;
    /** A confirmed balance as the ledger has it at a height, in atomic units. */
    readConfirmedAt: (balance: BalanceKey, number: bigint) => Promise<bigint>;
    recordFound: (found: FoundBlock) => Promise<FoundOutcome>;
    recordCorrection: (chainName: string, correction: Correction) => Promise<"corrected" | "moved">;
    finishReconciliation: (finished: FinishedReconciliation) => Promise<void>;
  };

/** What fills in the history of wallets. */
export type HistoryLedger = {
  readHistoryPlan: (chainName: string, maxBlocks: bigint) => Promise<HistoryPlan | null>;
  recordHistory: (stretch: HistoryStretch) => Promise<StretchOutcome>;
  /** Null: an opening is not read yet. */
  readHistorySums: (walletId: string) => Promise<HistorySum[] | null>;
  finishHistory: (walletId: string, verdict: HistoryVerdict) => Promise<void>;
};

/** Which of several processes fetches now. */
export type LeaseLedger = {
  takeLease: (lease: { name: string; holder: string; ttlMs: number }) => Promise<boolean>;
  /** To one that waits for it and has fewer of them. */
  giveLease: (lease: { name: string; holder: string; ttlMs: number }) => Promise<boolean>;
  waitForLease: (lease: { name: string; holder: string; ttlMs: number }) => Promise<void>;
  releaseLease: (lease: { name: string; holder: string }) => Promise<void>;
};
