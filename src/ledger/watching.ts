import { readDueOpenings, recordOpenings } from "./balances/openings.ts";
import { writeReading } from "./chain/chain-reading.ts";
import {
  markStopped,
  readChainState,
  readHash,
  readPosition,
  readWindow,
  startChain,
} from "./chain/chain-state.ts";
import { releaseLease, takeLease } from "./chain/lease.ts";
import { commitBlock } from "./commit/commit-block.ts";
import { commitRange } from "./commit/commit-range.ts";
import { confirmUpTo } from "./commit/confirm-up-to.ts";
import { recordFound } from "./commit/record-found.ts";
import { undoBlocks } from "./commit/undo-blocks.ts";
import { acceptProven, readUnproven } from "./commit/unproven.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { readConfirmedAt } from "./reconciliation/read-confirmed-at.ts";
import { readHoldings } from "./reconciliation/read-holdings.ts";
import { finishReconciliation, readAgreed } from "./reconciliation/reconciliation.ts";
import { recordCorrection, recordDiscrepancies } from "./reconciliation/record-findings.ts";
import {
  finishHistory,
  readHistoryPlan,
  readHistorySums,
  recordHistory,
} from "./watchlist/history.ts";
import { readWatchlist } from "./watchlist/read-watchlist.ts";

/** What a watcher does with the ledger, bound to one database. */
export function createWatching(db: Database) {
  return {
    readChainState: bind(db, readChainState),
    readPosition: bind(db, readPosition),
    readHash: bind(db, readHash),
    readWindow: bind(db, readWindow),
    readWatchlist: bind(db, readWatchlist),
    startChain: bind(db, startChain),
    markStopped: bind(db, markStopped),
    commitBlock: bind(db, commitBlock),
    commitRange: bind(db, commitRange),
    confirmUpTo: bind(db, confirmUpTo),
    undoBlocks: bind(db, undoBlocks),
    readUnproven: bind(db, readUnproven),
    acceptProven: bind(db, acceptProven),
    readDueOpenings: bind(db, readDueOpenings),
    recordOpenings: bind(db, recordOpenings),
    readAgreed: bind(db, readAgreed),
    readConfirmedAt: bind(db, readConfirmedAt),
    readHoldings: bind(db, readHoldings),
    recordFound: bind(db, recordFound),
    recordCorrection: bind(db, recordCorrection),
    recordDiscrepancies: bind(db, recordDiscrepancies),
    finishReconciliation: bind(db, finishReconciliation),
    readHistoryPlan: bind(db, readHistoryPlan),
    recordHistory: bind(db, recordHistory),
    readHistorySums: bind(db, readHistorySums),
    finishHistory: bind(db, finishHistory),
    writeReading: bind(db, writeReading),
    takeLease: bind(db, takeLease),
    releaseLease: bind(db, releaseLease),
  };
}
