import pg from "pg";
import { faultIn } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * PostgreSQL reads a smaller table whole in a few milliseconds, so statistics do not matter there.
 */
const largeBytes = 8 * 1024 * 1024;

/**
 * The longest wait for the lock of one table. A transaction that holds the lock for longer is
 * probably another ANALYZE of that table.
 */
const lockTimeout = "2s";

export type Analyzed = {
  /** The tables that have statistics now. */
  analyzed: string[];
  /**
   * The tables that still have none. Without an `error`, PostgreSQL skipped a table of another
   * role.
   */
  left: { table: string; error?: unknown }[];
};

/**
 * Runs ANALYZE on every large table without statistics. They are missing after the restore of a
 * dump, or after an upgrade of PostgreSQL's major version. Without statistics PostgreSQL expects a
 * fixed share of the rows to match any condition. It then reads and sorts whole tables for one
 * page.
 *
 * ANALYZE reads a sample, so ten million rows take seconds. A table that is locked, or fails, is
 * left to autovacuum. Safe to repeat, and for any number of processes.
 * @throws Fault `database_unavailable`
 */
export async function analyzeUnknown(db: Database): Promise<Analyzed> {
  const tables = await unknownTables(db);
  if (tables.length === 0) return { analyzed: [], left: [] };
  const errors = new Map<string, unknown>();
  for (const table of tables) {
    try {
      await analyze(db, table);
    } catch (error) {
      if (faultIn(error)?.code === "database_unavailable") throw error;
      errors.set(table, error);
    }
  }
  // PostgreSQL only warns if the table belongs to another role, so the tables are looked up again.
  const unknown = await unknownTables(db);
  return {
    analyzed: tables.filter((table) => !unknown.includes(table)),
    left: unknown.map((table) => ({ table, error: errors.get(table) })),
  };
}

/**
 * Finds the large tables without statistics. A table without rows counts as known, even if its file
 * is large.
 */
async function unknownTables(db: Database): Promise<string[]> {
  const rows = await statementsOf(db).$queryRaw<{ table: string }[]>`
    SELECT c.relname AS table FROM pg_class c
    WHERE c.relkind = 'r' AND c.reltuples <> 0 AND c.relnamespace = current_schema()::regnamespace
      AND pg_relation_size(c.oid) >= ${largeBytes}
      AND NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.schemaname = current_schema() AND s.tablename = c.relname)
    ORDER BY c.relname`;
  return rows.map(({ table }) => table);
}

async function analyze(db: Database, table: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.$queryRaw`SELECT set_config('lock_timeout', ${lockTimeout}, true)`;
    await tx.$executeRaw`ANALYZE ${Prisma.raw(pg.escapeIdentifier(table))}`;
  });
}
