import type { DatabaseReport } from "../../domain/business/installation.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot } from "../postgres/transaction.ts";

/** At most this many tables are named. */
const maxTables = 20;

type Table = DatabaseReport["tables"][number];

/**
 * Reads the size of the database and the migrations that were applied to it. Reads PostgreSQL's own
 * records, and none of our tables whole.
 */
export async function readDatabaseReport(db: Database): Promise<DatabaseReport> {
  return inSnapshot(db, async (tx) => {
    const [size] = await tx.$queryRaw<{ bytes: bigint }[]>`
      SELECT pg_database_size(current_database()) AS bytes`;
    const tables = await tx.$queryRaw<Table[]>`
      SELECT now.name, now.rows, now.bytes,
        round((now.bytes - past.bytes) * 86400 / extract(epoch FROM now() - past.at))::bigint AS "bytesADay"
      FROM (
        SELECT relname AS name, pg_total_relation_size(oid) AS bytes,
          -- As the last ANALYZE found it; of a table that is too new for one, as what was written has been counted.
          CASE WHEN reltuples < 0 THEN pg_stat_get_live_tuples(oid) ELSE reltuples END::float8 AS rows
        FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
      ) now
      LEFT JOIN LATERAL (
        SELECT bytes, at FROM table_size
        WHERE table_name = now.name AND at < now() - interval '1 day' AND at > now() - interval '31 days'
        ORDER BY day LIMIT 1
      ) past ON true
      ORDER BY now.bytes DESC, now.name`;
    const migrations = await tx.$queryRaw<{ name: string }[]>`
      SELECT migration_name AS name FROM _prisma_migrations
      WHERE finished_at IS NOT NULL ORDER BY migration_name DESC`;
    const configuration = await tx.configuration.findFirst({
      orderBy: { version: "desc" },
      select: { version: true, appliedAt: true },
    });
    const names = migrations.map(({ name }) => name);
    const known = tables.flatMap(({ bytesADay }) => bytesADay ?? []);
    return {
      sizeBytes: size?.bytes ?? 0n,
      bytesADay: known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0n),
      tables: tables.slice(0, maxTables),

      migrations: names,
      configuration,
    };
  });
}
