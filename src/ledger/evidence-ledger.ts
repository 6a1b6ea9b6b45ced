import { listAudit } from "./businesses/audit.ts";
import {
  beginArchive,
  isArchived,
  knowsArchive,
  planArchive,
  removeArchived,
} from "./businesses/audit-archive.ts";
import { readChained, verifyAudit } from "./businesses/audit-chain.ts";
import { checkLedger } from "./evidence/check-ledger.ts";
import { readConfirmedHeight, readStatement } from "./evidence/read-statement.ts";
import { listReconciliations } from "./evidence/reconciliation-records.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";

/** What operators show somebody else: checks of the ledger, and the audit trail, of which the oldest part goes into files. */
export function createEvidenceLedger(db: Database) {
  return {
    beginArchive: bind(db, beginArchive),
    checkLedger: bind(db, checkLedger),
    isArchived: bind(db, isArchived),
    knowsArchive: bind(db, knowsArchive),
    listAudit: bind(db, listAudit),
    listReconciliations: bind(db, listReconciliations),
    planArchive: bind(db, planArchive),
    readChained: bind(db, readChained),
    readConfirmedHeight: bind(db, readConfirmedHeight),
    readStatement: bind(db, readStatement),
    removeArchived: bind(db, removeArchived),
    verifyAudit: bind(db, verifyAudit),
  };
}
