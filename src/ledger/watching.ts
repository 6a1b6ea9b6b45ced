import type {
  BalanceLedger,
  CatchUpLedger,
  HeadLedger,
  HistoryLedger,
  LeaseLedger,
  OldBlockLedger,
  ReconcileLedger,
} from "../domain/watch/watcher-ledger.ts";
import { readDueOpenings, recordOpenings } from "./balances/openings.ts";
import { keepCheckpoints, readAnchor } from "./chain/anchors.ts";
import { writeReading } from "./chain/chain-reading.ts";
import {
  markStopped,
  readAgedHeight,
  readChainState,
  readHash,
  readPosition,
  readWindow,
  startChain,
} from "./chain/chain-state.ts";
import { noteLag } from "./chain/lag-history.ts";
import { giveLease, releaseLease, takeLease, waitForLease } from "./chain/lease.ts";
import { readOldestPending } from "./chain/oldest-pending.ts";
import { commitBlock } from "./commit/commit-block.ts";
import { commitRange } from "./commit/commit-range.ts";
import { confirmUpTo } from "./commit/confirm-up-to.ts";
import { correctOpening, readOpening } from "./commit/correct-opening.ts";
import { recordFound } from "./commit/record-found.ts";
import { replaceRead } from "./commit/replace-read.ts";
import { undoBlocks } from "./commit/undo-blocks.ts";
import { acceptProven, readUnproven } from "./commit/unproven.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { readConfirmedAt } from "./reconciliation/read-confirmed-at.ts";
import { readLedgerBalances } from "./reconciliation/read-ledger-balances.ts";
import { finishReconciliation, readAgreed } from "./reconciliation/reconciliation.ts";
import { recordCorrection, recordDiscrepancies } from "./reconciliation/record-findings.ts";
import { readWritten } from "./transactions/read-written.ts";
import {
  finishHistory,
  readHistoryPlan,
  readHistorySums,
  recordHistory,
} from "./watchlist/history.ts";
import { readWatchlist } from "./watchlist/read-watchlist.ts";

// What those who watch a chain do with the ledger, bound to one database: a facade for each of them.

export function createHeadLedger(db: Database): HeadLedger {
  return {
    readChainState: bind(db, readChainState),
    readWatchlist: bind(db, readWatchlist),
    readHash: bind(db, readHash),
    readAgedHeight: bind(db, readAgedHeight),
    readOldestPending: bind(db, readOldestPending),
    readWindow: bind(db, readWindow),
    startChain: bind(db, startChain),
    commitBlock: bind(db, commitBlock),
    confirmUpTo: bind(db, confirmUpTo),
    undoBlocks: bind(db, undoBlocks),
    markStopped: bind(db, markStopped),
    writeReading: bind(db, writeReading),
    noteLag: bind(db, noteLag),
  };
}

export function createCatchUpLedger(db: Database): CatchUpLedger {
  return {
    readHash: bind(db, readHash),
    readAgedHeight: bind(db, readAgedHeight),
    commitRange: bind(db, commitRange),
  };
}

export function createBalanceLedger(db: Database): BalanceLedger {
  return {
    readPosition: bind(db, readPosition),
    readDueOpenings: bind(db, readDueOpenings),
    recordOpenings: bind(db, recordOpenings),
    readUnproven: bind(db, readUnproven),
    replaceRead: bind(db, replaceRead),
    acceptProven: bind(db, acceptProven),
    recordDiscrepancies: bind(db, recordDiscrepancies),
  };
}

export function createReconcileLedger(db: Database): ReconcileLedger {
  return {
    readHash: bind(db, readHash),
    readAgreed: bind(db, readAgreed),
    readLedgerBalances: bind(db, readLedgerBalances),
    readConfirmedAt: bind(db, readConfirmedAt),
    recordFound: bind(db, recordFound),
    readWritten: bind(db, readWritten),
    replaceRead: bind(db, replaceRead),
    readOpening: bind(db, readOpening),
    correctOpening: bind(db, correctOpening),
    recordCorrection: bind(db, recordCorrection),
    recordDiscrepancies: bind(db, recordDiscrepancies),
    finishReconciliation: bind(db, finishReconciliation),
  };
}

export function createHistoryLedger(db: Database): HistoryLedger {
  return {
    readHistoryPlan: bind(db, readHistoryPlan),
    recordHistory: bind(db, recordHistory),
    readHistorySums: bind(db, readHistorySums),
    finishHistory: bind(db, finishHistory),
  };
}

export function createOldBlockLedger(db: Database): OldBlockLedger {
  return { readAnchor: bind(db, readAnchor), keepCheckpoints: bind(db, keepCheckpoints) };
}

export function createLeaseLedger(db: Database): LeaseLedger {
  return {
    takeLease: bind(db, takeLease),
    giveLease: bind(db, giveLease),
    waitForLease: bind(db, waitForLease),
    releaseLease: bind(db, releaseLease),
  };
}
