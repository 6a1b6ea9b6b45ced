import type { PrismaClient } from "../../../src/ledger/generated/client.ts";
import * as ledger from "../../../src/ledger/postgres/database.ts";

/** A database of which tests may ask whatever they want, past the ledger's functions. */
export type Database = ledger.Database & PrismaClient;

export function openDatabase(options: Parameters<typeof ledger.openDatabase>[0]): Database {
  return asked(ledger.openDatabase(options));
}

/** The same database, to be asked past the ledger. */
export function asked(db: ledger.Database): Database {
  return ledger.clientsOf(db).prisma as unknown as Database;
}
