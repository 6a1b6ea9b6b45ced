import { useAuditKey } from "../../../src/ledger/businesses/audit-key.ts";
import type { PrismaClient } from "../../../src/ledger/generated/client.ts";
import * as ledger from "../../../src/ledger/postgres/database.ts";

/** A database of which tests may ask whatever they want, past the ledger's functions. */
export type Database = ledger.Database & PrismaClient;

export function openDatabase(options: Parameters<typeof ledger.openDatabase>[0]): Database {
  const db = ledger.openDatabase(options);
  useAuditKey(db, testAuditKey);
  return asked(db);
}

/** The key of the audit trail in all databases that tests open by themselves. */
export const testAuditKey = { bytes: new Uint8Array(32).fill(9) };

/** The same database, to be asked past the ledger. Its key of the audit trail stays as it is. */
export function asked(db: ledger.Database): Database {
  return ledger.clientsOf(db).prisma as unknown as Database;
}
