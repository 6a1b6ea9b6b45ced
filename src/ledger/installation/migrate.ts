import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { Fault } from "../../domain/fault.ts";
import { shippedFile } from "../../runtime/shipped-file.ts";
import { connectionTo } from "../postgres/connection/choose-server.ts";
import { generation, readGeneration } from "../postgres/generation.ts";
import { isLockTimeout, isUnreachable } from "../postgres/reaching.ts";
import { longestPauseMs } from "../postgres/statement-kinds.ts";

const migrationsFolder = shippedFile("prisma/migrations/");

/**
 * The advisory lock of all processes that migrate a database: "chainbell" as ASCII, cut to 63 bits.
 */
const advisoryLock = "7163384643246252908";

/**
 * A migration waits for its locks for at most this many ms, because other statements queue behind
 * it. Then it is begun again.
 */
const lockTimeoutMs = 5_000;

/** A migration that does not get its locks is begun this often. */
const maxTries = 12;

type Migration = { name: string; sql: string; checksum: string };

type DatabaseToMigrate = {
  databaseUrl: string;
  /** Ends the connection when it is aborted. Left out: nothing does. */
  stopping?: AbortSignal | undefined;
};

/**
 * Brings the database to the schema of this version: applies each pending prisma/migrations folder
 * in order. Each one runs in a transaction of its own that holds an advisory lock. So any number of
 * processes may start at once, also through a pooler. Prisma's own table records them as
 * `prisma migrate deploy` does, so the two agree. Safe to repeat. If nothing is pending, it only
 * reads.
 * @returns the names of the migrations that this call applied
 * @throws Fault `database_unavailable`, also if `stopping` is aborted. Fault `database_refused`
 *   (credentials, no such database, no rights). Fault `database_too_new` if the database has a
 *   migration that this version does not know. Fault `older_release_running`, `migration_failed`
 */
export async function migrate(options: DatabaseToMigrate): Promise<string[]> {
  const migrations = await readMigrations();
  return connected(options, async (client) => {
    const applied: string[] = [];
    if ((await readPending(client, migrations)).length === 0) return applied;
    for (;;) {
      const name = await applyNext(client, migrations);
      if (name === null) return applied;
      applied.push(name);
    }
  });
}

/**
 * The migrations that `migrate` would apply, and whether any was ever applied. Writes nothing.
 * @throws Fault as `migrate`
 */
export async function readMigrationState(
  options: DatabaseToMigrate,
): Promise<{ isEmpty: boolean; pending: string[] }> {
  const migrations = await readMigrations();
  return connected(options, async (client) => {
    const pending = await readPending(client, migrations);
    return {
      isEmpty: pending.length === migrations.length,
      pending: pending.map(({ name }) => name),
    };
  });
}

async function connected<T>(
  { databaseUrl, stopping }: DatabaseToMigrate,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connect(databaseUrl);
  // The driver breaks off a statement that is under way, and the server takes it back.
  const end = () => client.end().catch(() => {});
  stopping?.addEventListener("abort", end);
  try {
    if (stopping?.aborted) throw outOfReach();
    return await work(client);
  } catch (error) {
    throw isAway(error) ? outOfReach(error) : error;
  } finally {
    stopping?.removeEventListener("abort", end);
    await end();
  }
}

/** True if the connection is lost, or the server takes no writes now. Not for a full disk. */
function isAway(error: unknown): boolean {
  const isFull = error instanceof Error && "code" in error && /^53/.test(String(error.code));
  return !isFull && isUnreachable(error);
}

function outOfReach(cause?: unknown): Fault {
  return new Fault("database_unavailable", "The database is out of reach.", { cause });
}

async function readPending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const table = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS "isThere"`,
  );
  if (table.rows[0]?.isThere !== true) return migrations;
  return pendingOf(migrations, (await client.query<Recorded>(recordedSql)).rows);
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({ ...connectionTo(databaseUrl), connectionTimeoutMillis: 5_000 });
    // A broken connection fails its query. Without a listener the event would also end the process.
    client.on("error", () => {});
    await client.connect();
    return client;
  } catch (cause) {
    throw connectFault(cause);
  }
}

/**
 * Turns an error of connecting into a fault: `database_unavailable` if waiting may help,
 * `database_refused` if the operator must act.
 */
function connectFault(cause: unknown): Fault {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  // 28xxx: credentials. 3D000: no such database. 42501: no rights. ERR_INVALID_URL: no URL. An
  // unknown host is not among them: its container may still be starting.
  if (/^(28...|3D000|42501|ERR_INVALID_URL)$/.test(code) || cause instanceof TypeError) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new Fault(
      "database_refused",
      `DATABASE_URL does not work: ${withoutPassword(reason)}.`,
      { cause },
    );
  }
  return outOfReach(cause);
}

function withoutPassword(text: string): string {
  return text.replace(/:\/\/[^@\s]*@/g, "://…@").replace(/\.$/, "");
}

/** The names of the migrations of this version, the oldest first. */
export async function listMigrations(): Promise<string[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function readMigrations(): Promise<Migration[]> {
  const names = await listMigrations();
  return Promise.all(
    names.map(async (name) => {
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

/** Applies the first pending migration, and answers its name; null: none is pending. */
async function applyNext(client: pg.Client, migrations: Migration[]): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    let migration: Migration | undefined;
    try {
      await client.query(
        `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${longestPauseMs}`,
      );
      await client.query("SELECT pg_advisory_xact_lock($1)", [advisoryLock]);
      await client.query(createTableSql);
      const recorded = (await client.query<Recorded>(recordedSql)).rows;
      migration = pendingOf(migrations, recorded)[0];
      if (migration !== undefined) {
        if (recorded.length > 0) await requireStop(client);
        await apply(client, migration);
      }
      await client.query("COMMIT");
      return migration?.name ?? null;
    } catch (cause) {
      await client.query("ROLLBACK").catch(() => {});
      if (cause instanceof Fault || isAway(cause)) throw cause;
      if (isLockTimeout(cause) && tries < maxTries) continue;
      if (isForbidden(cause)) {
        throw new Fault(
          "database_refused",
          "The database lacks migrations, and this role may not apply them. Run `chainbell migrate` as the role that owns the tables.",
          { cause },
        );
      }
      throw new Fault(
        "migration_failed",
        `Migration '${migration?.name ?? "of the first table"}' failed; nothing of it was applied.`,
        { cause },
      );
    }
  }
}

/**
 * Refuses to migrate a database of an older generation while other Chainbell processes are
 * connected to it. They are of an older release, since a process of this release migrates before it
 * connects in other ways. Their connections are seen also through a pooler, and while idle.
 */
async function requireStop(client: pg.Client): Promise<void> {
  if ((await readGeneration(client)) >= generation) return;
  const { rows } = await client.query<{ address: string | null; count: number; since: Date }>(`
    SELECT client_addr::text AS address, count(*)::int AS count, min(backend_start) AS since
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND starts_with(application_name, 'chainbell')
    GROUP BY client_addr ORDER BY count DESC`);
  if (rows.length === 0) return;
  const seen = rows.map(({ address, count }) => `${count} from ${address ?? "elsewhere"}`);
  throw new Fault(
    "older_release_running",
    `Processes of an older release are connected to the database, and this release cannot work beside them. Their connections: ${seen.join(", ")}. End all of them, then start this process again. A pooler may keep connections of processes that have ended: close them there.`,
    { facts: { connections: rows } },
  );
}

/** insufficient_privilege, of PostgreSQL's table of error codes. */
function isForbidden(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "42501";
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  await client.query(migration.sql);
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
    [randomUUID(), migration.checksum, migration.name],
  );
}
