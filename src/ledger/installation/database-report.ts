import type { DatabaseReport } from "../../domain/business/installation.ts";
import { type Database, inSnapshot } from "../postgres/database.ts";

/** Tables that are named, at most. */
const maxTables = 20;

type Table = DatabaseReport["tables"][number];

/** How large the database is, and what was applied to it. Reads PostgreSQL's own records, and no table of ours whole. */
export async function readDatabaseReport(db: Database): Promise<DatabaseReport> {
  return inSnapshot(db, async (tx) => {
    const [size] = await tx.$queryRaw<{ bytes: bigint }[]>`
      SELECT pg_database_size(current_database()) AS bytes`;
    const tables = await tx.$queryRaw<Table[]>`
      SELECT relname AS name, GREATEST(reltuples, 0)::float8 AS rows, pg_total_relation_size(oid) AS bytes
      FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
      ORDER BY bytes DESC, relname LIMIT ${maxTables}`;
    const migrations = await tx.$queryRaw<{ name: string }[]>`
      SELECT migration_name AS name FROM _prisma_migrations
      WHERE finished_at IS NOT NULL ORDER BY migration_name DESC`;
    const configuration = await tx.configuration.findFirst({
      orderBy: { version: "desc" },
      select: { version: true, appliedAt: true },
    });
    const names = migrations.map(({ name }) => name);
    return { sizeBytes: size?.bytes ?? 0n, tables, migrations: names, configuration };
  });
}
