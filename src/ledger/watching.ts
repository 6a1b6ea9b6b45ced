import { bind } from "./bind.ts";
import { writeReading } from "./chain-reading.ts";
import {
  markStopped,
  readChainState,
  readHash,
  readPosition,
  readWindow,
  startChain,
} from "./chain-state.ts";
import { commitBlock } from "./commit-block.ts";
import { commitRange } from "./commit-range.ts";
import { confirmUpTo } from "./confirm-up-to.ts";
import type { Database } from "./database.ts";
import { finishHistory, readHistoryPlan, readHistorySums, recordHistory } from "./history.ts";
import { releaseLease, takeLease } from "./lease.ts";
import { readDueOpenings, recordOpenings } from "./openings.ts";
import { readConfirmedAt } from "./read-confirmed-at.ts";
import { readHoldings } from "./read-holdings.ts";
import { readWatchlist } from "./read-watchlist.ts";
import { finishReconciliation, readAgreed } from "./reconciliation.ts";
import { recordCorrection, recordDiscrepancies } from "./record-findings.ts";
import { recordFound } from "./record-found.ts";
import { undoBlocks } from "./undo-blocks.ts";
import { acceptProven, readUnproven } from "./unproven.ts";

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
