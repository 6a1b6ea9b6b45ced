import pg from "pg";
import { Prisma } from "../generated/client.ts";
import { type Database, isLockTimeout } from "../postgres/database.ts";
import { inStatements, statementsOf } from "../postgres/statements.ts";

/** A table below this is read as a whole in a few milliseconds, whatever is known of it. */
const largeBytes = 8 * 1024 * 1024;

/** How long the lock of one table is waited for. Who holds it longer is likely to be looking at the table too. */
const lockTimeout = "2s";

/**
 * Has PostgreSQL look at every large table of which it has no statistics, as after a dump was restored or a major version upgraded:
 * until then it takes any condition to be true of a fixed share of the rows, and reads and sorts whole tables for one page. Only a
 * sample is read, so a table of ten million rows takes seconds. One that is locked is left to autovacuum. Safe to
 * repeat, and for any number of processes.
 * @returns the names of the tables
 * @throws Fault `database_unavailable`
 */
export async function analyzeUnknown(db: Database): Promise<string[]> {
  const analyzed: string[] = [];
  for (const table of await unknownTables(db)) {
    if (await analyze(db, table)) analyzed.push(table);
  }
  return analyzed;
}

async function unknownTables(db: Database): Promise<string[]> {
  const rows = await statementsOf(db).$queryRaw<{ table: string }[]>`
    SELECT c.relname AS table FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND pg_relation_size(c.oid) >= ${largeBytes}
      AND NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.schemaname = current_schema() AND s.tablename = c.relname)
    ORDER BY c.relname`;
  return rows.map(({ table }) => table);
}

/** Answers whether it could. */
async function analyze(db: Database, table: string): Promise<boolean> {
  try {
    await inStatements(db, async (tx) => {
      await tx.$queryRaw`SELECT set_config('lock_timeout', ${lockTimeout}, true)`;
      await tx.$executeRaw`ANALYZE ${Prisma.raw(pg.escapeIdentifier(table))}`;
    });
    return true;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return false;
  }
}
