import { Fault } from "../../domain/fault.ts";
import type { Database } from "./database.ts";
import { statementsOf } from "./statements.ts";

/** The tables that grow with use. */
const measuredTables = [
  "transaction",
  "ledger_entry",
  "notification",
  "delivery",
  "attempt",
  "wallet",
  "balance",
];

/** The number of rows of some tables, as PostgreSQL estimates it. Counting would read every row. */
export async function readTableSizes(db: Database): Promise<{ table: string; rows: number }[]> {
  return statementsOf(db).$queryRaw<{ table: string; rows: number }[]>`
      SELECT relname AS table, GREATEST(reltuples, 0)::float8 AS rows FROM pg_class
      WHERE oid = ANY(SELECT to_regclass(name) FROM unnest(${measuredTables}::text[]) AS name)
      ORDER BY relname`;
}

/** The facts that a server reports of itself. Connections are those of all its databases. */
export type DatabaseServer = {
  version: string;
  /** Its own address and port; null: it was reached by a socket of its machine. */
  at: string | null;
  isReplica: boolean;
  connections: number;
  maxConnections: number;
  /** The server's clock, in ms since the epoch. */
  nowMs: number;
};

/**
 * `oldestSnapshotMs`: the age of this database's oldest snapshot or open write, in ms; 0: there is
 * none. `dueDeadRows`: the dead rows of due_delivery, as PostgreSQL estimates them.
 *
 * While a snapshot is held, for example by a dump, vacuum removes no row that existed when it
 * began. PostgreSQL shows sessions of other roles only to members of `pg_read_all_stats`. A replica
 * that holds rows back is not seen, since it gives no time.
 */
export type Vacuuming = { oldestSnapshotMs: number; dueDeadRows: number };

export async function readVacuuming(db: Database): Promise<Vacuuming> {
  const [read] = await statementsOf(db).$queryRaw<Vacuuming[]>`
      SELECT coalesce(extract(epoch FROM clock_timestamp() - least(
          (SELECT min(xact_start) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND backend_type = 'client backend'
             AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)),
          (SELECT min(prepared) FROM pg_prepared_xacts WHERE database = current_database())
        )) * 1000, 0)::float8 AS "oldestSnapshotMs",
        coalesce((SELECT n_dead_tup FROM pg_stat_user_tables
          WHERE relid = to_regclass('due_delivery')), 0)::float8 AS "dueDeadRows"`;
  return read ?? { oldestSnapshotMs: 0, dueDeadRows: 0 };
}

export async function readServer(db: Database): Promise<DatabaseServer> {
  const [server] = await statementsOf(db).$queryRaw<DatabaseServer[]>`
      SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
        host(inet_server_addr()) || ':' || inet_server_port() AS at,
        (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
        current_setting('max_connections')::int AS "maxConnections",
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;
  if (server === undefined) throw new Fault("invariant_broken", "A SELECT without FROM has a row.");
  return server;
}
