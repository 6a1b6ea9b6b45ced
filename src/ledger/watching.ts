import type {
  BalanceLedger,
  HeadLedger,
  HistoryLedger,
  LeaseLedger,
  OldBlockLedger,
  ReconcileLedger,
  SightingLedger,
} from "../domain/watch/watcher-ledger.ts";
import { readDueOpenings } from "./balances/openings.ts";
import { keepCheckpoints, readAnchor } from "./chain/anchors.ts";
import { writeReading } from "./chain/chain-reading.ts";
import {
  markStopped,
  readAgedHeight,
  readChainState,
  readHash,
  readPosition,
  readStartWait,
  readWindow,
  startChain,
} from "./chain/chain-state.ts";
import { borrowLease, releaseLease, shareLease, waitForLease } from "./chain/lease.ts";
import { readOldestPending } from "./chain/oldest-pending.ts";
import { noteLag } from "./chain/samples.ts";
import { commitBlocks } from "./commit/commit-blocks.ts";
import { confirmUpTo } from "./commit/confirm-up-to.ts";
import { correctOpening, readOpening } from "./commit/correct-opening.ts";
import { makeBalances, readNextBalances } from "./commit/make-balances.ts";
import { recordFound } from "./commit/record-found.ts";
import { recordOpenings } from "./commit/record-openings.ts";
import { replaceRead } from "./commit/replace-read.ts";
import { undoBlocks } from "./commit/undo-blocks.ts";
import { acceptProven, readUnproven } from "./commit/unproven.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { readConfirmedAt } from "./reconciliation/read-confirmed-at.ts";
import { readLedgerBalances } from "./reconciliation/read-ledger-balances.ts";
import { finishReconciliation, readAgreed } from "./reconciliation/reconciliation.ts";
import { recordCorrection, recordDiscrepancies } from "./reconciliation/record-findings.ts";
import { readUnreported, reportSightings } from "./sightings/report-sightings.ts";
import { readWritten } from "./transactions/read-written.ts";
import {
  finishHistory,
  readHistoryPlan,
  readHistorySums,
  recordHistory,
} from "./watchlist/history.ts";
import { readWatchlist } from "./watchlist/read-watchlist.ts";
import { endLeaving } from "./watchlist/remove-wallet.ts";

// The functions of the ledger for the watchers of a chain, bound to one database. Each kind of
// watcher has its own facade.

export function createHeadLedger(db: Database): HeadLedger {
  return bind(db, {
    readChainState,
    readWatchlist,
    readHash,
    readAgedHeight,
    readOldestPending,
    readWindow,
    readStartWait,
    startChain,
    commitBlocks,
    confirmUpTo,
    undoBlocks,
    markStopped,
    writeReading,
    noteLag,
  });
}

export function createBalanceLedger(db: Database): BalanceLedger {
  return bind(db, {
    readPosition,
    readDueOpenings,
    makeBalances,
    readNextBalances,
    recordOpenings,
    readUnproven,
    replaceRead,
    acceptProven,
    recordDiscrepancies,
  });
}

export function createReconcileLedger(db: Database): ReconcileLedger {
  return bind(db, {
    readHash,
    readAgreed,
    readLedgerBalances,
    readConfirmedAt,
    recordFound,
    readWritten,
    replaceRead,
    readOpening,
    correctOpening,
    recordCorrection,
    recordDiscrepancies,
    finishReconciliation,
    endLeaving,
  });
}

export function createHistoryLedger(db: Database): HistoryLedger {
  return bind(db, {
    readHistoryPlan,
    recordHistory,
    readHistorySums,
    finishHistory,
  });
}

export function createSightingLedger(db: Database): SightingLedger {
  return bind(db, { readUnreported, reportSightings });
}

export function createOldBlockLedger(db: Database): OldBlockLedger {
  return bind(db, { readAnchor, keepCheckpoints });
}

export function createLeaseLedger(db: Database): LeaseLedger {
  return bind(db, {
    borrowLease,
    shareLease,
    waitForLease,
    releaseLease,
  });
}
