import { randomUUID } from "node:crypto";
import pg from "pg";
import { type Cluster, dataOf } from "../../../test/support/ledger/cluster.ts";
import type { Template } from "./catch-up.ts";

/** What a catch-up writes. Triggers write the rest: what is due, and the seals of the journal. */
const tables = ["block", "transaction", "notification", "delivery", "ledger_entry"] as const;

const fileOf = ({ dataDir }: Cluster, table: string) =>
  `${dataOf(dataDir)}/chainbell_bench_${table}.copy`;

/** Keeps the rows of a chain that was caught up, in files beside the cluster's data. */
export async function keepRows(cluster: Cluster, databaseUrl: string): Promise<void> {
  await connected(databaseUrl, async (db) => {
    for (const table of tables) {
      const columns = await columnsOf(db, table);
      await db.query(`COPY "${table}" (${columns}) TO '${fileOf(cluster, table)}'`);
    }
  });
}

/**
 * Copies these rows into a ledger that has none yet, with the same tables, indexes and triggers, in
 * one transaction; in seconds.
 */
export async function copyRows(cluster: Cluster, template: Template): Promise<number> {
  const database = `copied_${randomUUID()}`;
  const databaseUrl = await cluster.createDatabase(database, template.database);
  try {
    await cluster.checkpoint();
    return await connected(databaseUrl, async (db) => {
      const startedMs = performance.now();
      await db.query("BEGIN");
      await db.query("DELETE FROM block");
      for (const table of tables) {
        const columns = await columnsOf(db, table);
        const from = `COPY "${table}" (${columns}) FROM '${fileOf(cluster, table)}'`;
        const { rowCount } = await db.query(from);
        if (rowCount === 0) throw new Error(`No row of ${table} was copied.`);
      }
      await db.query("COMMIT");
      return (performance.now() - startedMs) / 1_000;
    });
  } finally {
    await cluster.drop(database);
  }
}

async function columnsOf(db: pg.Client, table: string): Promise<string> {
  const { rows } = await db.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns
    FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`,
    [table],
  );
  return rows[0]?.columns ?? "";
}

async function connected<T>(databaseUrl: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  return work(db).finally(() => db.end());
}
