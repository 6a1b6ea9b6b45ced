import { spawn } from "node:child_process";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { Fault } from "../../domain/fault.ts";
import {
  type DevelopmentLog,
  openSharedProcess,
  type SharedServer,
} from "../process/shared-process.ts";
import {
  CLUSTER_USER,
  type Cluster,
  prepareCluster,
  readPassword,
  removeCluster,
  spawnOptions,
} from "./postgres-cluster.ts";

export type EmbeddedPostgres = {
  /** The database `chainbell`, made when missing. */
  databaseUrl: string;
  /** The database `postgres`, for making and dropping others. */
  adminUrl: string;
  /** Leaves the cluster; the last live user stops it. Safe to repeat. */
  close: () => Promise<void>;
};

export type EmbeddedPostgresOptions = {
  dataDir: string;
  /** Server settings beside ours, as `name: value`. */
  settings: Record<string, string>;
  log: DevelopmentLog;
};

const DATABASE = "chainbell";
const ANSWER_TIMEOUT_MS = 2_000;
// Only what passes by itself: a port taken meanwhile, and the remains of a postmaster that was just
// killed.
const PASSING_FAILURES =
  /Address already in use|pre-existing shared memory block|lock file "postmaster.pid" already exists/;

/**
 * Joins the data directory's PostgreSQL, or makes and starts it on a free port of 127.0.0.1, with a
 * password that is kept in a file only its owner can read. It is a process group of its own: a
 * Ctrl-C in the terminal does not reach it. Fault `embedded_postgres_failed` with the end of its
 * log. Safe for several processes at the same time.
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = canonical(options.dataDir);
  const shared = await openSharedProcess(postgresServer(dataDir, options.settings), options.log);
  const password = readPassword(dataDir);
  return {
    databaseUrl: urlOf({ port: shared.port, password, database: DATABASE }),
    adminUrl: urlOf({ port: shared.port, password, database: "postgres" }),
    close: shared.close,
  };
}

/**
 * Ends and removes the data directory's cluster, wherever it lies. For data that was made to be
 * thrown away.
 */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  await removeCluster(canonical(dataDir));
}

// The cluster is found by this path: a data directory reached through a link must be one and the
// same.
function canonical(dataDir: string): string {
  return existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir);
}

function postgresServer(dataDir: string, settings: Record<string, string>): SharedServer {
  let cluster: Cluster | undefined;
  return {
    name: "postgres",
    dataDir,
    logFile: logPath(dataDir),
    faultCode: "embedded_postgres_failed",
    prepare: async () => {
      cluster = await prepareCluster(dataDir).catch(withoutPermission);
    },
    spawn: (port, output) => {
      if (cluster === undefined) throw new Fault("invariant_broken", "prepare comes before spawn.");
      const fixed = {
        listen_addresses: "127.0.0.1",
        port: String(port),
        unix_socket_directories: "",
        timezone: "UTC",
        log_timezone: "UTC",
      };
      const flags = Object.entries({ ...settings, ...fixed }).map(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]);
      return spawn(cluster.binaries.postgres, ["-D", cluster.data, ...flags.flat()], {
        ...spawnOptions(cluster),
        detached: true,
        stdio: ["ignore", output, output],
      });
    },
    // Only our own cluster knows the password: another server on that port does not count.
    answers: (port) => answers(dataDir, port),
    complete: (port) => createDatabase(dataDir, port),
    mayRepeat: (logTail) => PASSING_FAILURES.test(logTail),
  };
}

function withoutPermission(cause: unknown): never {
  if (!(cause instanceof Error && "code" in cause && "path" in cause)) throw cause;
  throw new Fault(
    "embedded_postgres_failed",
    `The embedded PostgreSQL's files cannot be used (${cause.code}: ${cause.path}): give this user the right to, set CHAINBELL_DATA_DIR to another directory, or set DATABASE_URL.`,
    { cause, facts: { path: cause.path } },
  );
}

async function answers(dataDir: string, port: number): Promise<boolean> {
  try {
    const password = readPassword(dataDir);
    await query(urlOf({ port, password, database: "postgres" }), "SELECT 1");
    return true;
  } catch {
    return false;
  }
}

async function createDatabase(dataDir: string, port: number): Promise<void> {
  const adminUrl = urlOf({ port, password: readPassword(dataDir), database: "postgres" });
  try {
    const found = await query(adminUrl, `SELECT FROM pg_database WHERE datname = '${DATABASE}'`);
    if (found === 0) await query(adminUrl, `CREATE DATABASE ${DATABASE}`);
  } catch (cause) {
    throw new Fault(
      "embedded_postgres_failed",
      `The embedded PostgreSQL runs, but the database "${DATABASE}" could not be made: see ${logPath(dataDir)}.`,
      { cause, facts: { logFile: logPath(dataDir) } },
    );
  }
}

async function query(url: string, sql: string): Promise<number> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
  });
  // The server may end while we listen to it; the query then fails by itself.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function urlOf(at: { port: number; password: string; database: string }): string {
  return `postgresql://${CLUSTER_USER}:${at.password}@127.0.0.1:${at.port}/${at.database}`;
}

function logPath(dataDir: string): string {
  return join(dataDir, "postgres.log");
}
