import { listAudit } from "./businesses/audit.ts";
import {
  isArchived,
  knowsArchive,
  planArchive,
  removeArchived,
} from "./businesses/audit-archive.ts";
import { readChained } from "./businesses/audit-chain.ts";
import { verifyAudit } from "./businesses/verify-audit.ts";
import { checkLedger } from "./evidence/check-ledger.ts";
import { findLostHeads } from "./evidence/check-seals.ts";
import { readChainsOf } from "./evidence/journal-bounds.ts";
import { findStatement, readStatements, readStatementTexts } from "./evidence/made-statements.ts";
import { makeStatement } from "./evidence/make-statement.ts";
import { readOpenMatters } from "./evidence/open-matters.ts";
import { readConfirmedHeight, readStatement } from "./evidence/read-statement.ts";
import { listReconciliations } from "./evidence/reconciliation-records.ts";

/**
 * The functions that give operators evidence. They check the ledger, and read the audit trail,
 * whose oldest part can be moved to files.
 */
export const evidence = {
  checkLedger,
  findLostHeads,
  findStatement,
  isArchived,
  knowsArchive,
  listAudit,
  listReconciliations,
  makeStatement,
  planArchive,
  readChained,
  readChainsOf,
  readConfirmedHeight,
  readOpenMatters,
  readStatement,
  readStatements,
  readStatementTexts,
  removeArchived,
  verifyAudit,
};
