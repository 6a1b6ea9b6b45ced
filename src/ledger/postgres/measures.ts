import { type Database, reaching } from "./database.ts";

/** The tables that grow. */
const measuredTables = [
  "transaction",
  "ledger_entry",
  "notification",
  "delivery",
  "attempt",
  "wallet",
  "balance",
];

/** How many rows a table has, as PostgreSQL estimates it: to count them would read them all. */
export async function readTableSizes(db: Database): Promise<{ table: string; rows: number }[]> {
  return reaching(
    () => db.$queryRaw<{ table: string; rows: number }[]>`
      SELECT relname AS table, GREATEST(reltuples, 0)::float8 AS rows FROM pg_class
      WHERE oid = ANY(SELECT to_regclass(name) FROM unnest(${measuredTables}::text[]) AS name)
      ORDER BY relname`,
  );
}
