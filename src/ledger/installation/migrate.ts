import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { Fault } from "../../domain/fault.ts";

/** The folder beside src/ and dist/ alike. */
const migrationsFolder = new URL("../../../prisma/migrations/", import.meta.url);

/** One number for every process that migrates one database: "chainbell" as ASCII, cut to 63 bits. */
const advisoryLock = "7163384643246252908";

type Migration = { name: string; sql: string; checksum: string };

/**
 * Brings the database to the schema of this version: applies each pending prisma/migrations folder in order, each in
 * a transaction of its own, under an advisory lock, so that any number of processes may start at once. Records them
 * in Prisma's own table as `prisma migrate deploy` does, so the two agree. Safe to repeat.
 * @returns the names applied now
 * @throws Fault `database_unavailable`; `database_refused` (credentials, no such database, no rights);
 *   `database_too_new` when the database has a migration this version does not know; `migration_failed`
 */
export async function migrate(options: { databaseUrl: string }): Promise<string[]> {
  const migrations = await readMigrations();
  const client = await connect(options.databaseUrl);
  try {
    await client.query("SELECT pg_advisory_lock($1)", [advisoryLock]);
    await client.query(createTableSql);
    const pending = pendingOf(migrations, (await client.query<Recorded>(recordedSql)).rows);
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
    // A connection that breaks fails the query that is under way; without a listener it would end the process too.
    client.on("error", () => {});
    await client.connect();
    return client;
  } catch (cause) {
    throw connectFault(cause);
  }
}

/** Sorts what connecting can fail with: waiting mends the first kind, the operator the second. */
function connectFault(cause: unknown): Fault {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  // 28xxx: credentials; 3D000: no such database; 42501: no rights. ERR_INVALID_URL: not a URL at all.
  if (/^(28...|3D000|42501|ERR_INVALID_URL|ENOTFOUND)$/.test(code) || cause instanceof TypeError) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new Fault(
      "database_refused",
      `DATABASE_URL does not work: ${withoutPassword(reason)}.`,
      { cause },
    );
  }
  return new Fault("database_unavailable", "The database is out of reach.", { cause });
}

function withoutPassword(text: string): string {
  return text.replace(/:\/\/[^@\s]*@/g, "://…@").replace(/\.$/, "");
}

async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(new URL(`${name}/migration.sql`, migrationsFolder), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

// Prisma's bookkeeping table, as `prisma migrate deploy` creates it.
const createTableSql = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

type Recorded = { migration_name: string; checksum: string; finished_at: Date | null };

const recordedSql = `
  SELECT migration_name, checksum, finished_at FROM "_prisma_migrations"
  WHERE rolled_back_at IS NULL ORDER BY started_at`;

function pendingOf(migrations: Migration[], recorded: Recorded[]): Migration[] {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of recorded) {
    const known = byName.get(row.migration_name);
    if (known === undefined) {
      throw new Fault(
        "database_too_new",
        `The database has migration '${row.migration_name}', which this version of Chainbell does not know: run the newer version.`,
      );
    }
    if (row.finished_at === null || row.checksum !== known.checksum) {
      throw new Fault(
        "migration_failed",
        `Migration '${row.migration_name}' ${row.finished_at === null ? "did not finish" : "was changed after it was applied"}: see 'prisma migrate resolve'.`,
      );
    }
    byName.delete(row.migration_name);
  }
  return [...byName.values()];
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("BEGIN");
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {});
    throw new Fault(
      "migration_failed",
      `Migration '${migration.name}' failed; nothing of it was applied.`,
      { cause },
    );
  }
}
