import {
  createBalanceLedger,
  createHeadLedger,
  createHistoryLedger,
  createReconcileLedger,
  createSightingLedger,
} from "../../../src/ledger/watching.ts";
import type { Database } from "./database.ts";

/** All that the stages of a watcher do with the ledger. */
export function createWatcherLedger(db: Database) {
  return {
    ...createHeadLedger(db),
    ...createBalanceLedger(db),
    ...createReconcileLedger(db),
    ...createHistoryLedger(db),
    ...createSightingLedger(db),
  };
}
