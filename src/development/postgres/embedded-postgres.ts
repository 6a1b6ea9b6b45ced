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
  /** The URL of the database `chainbell`, which is made if it is missing. */
  databaseUrl: string;
  /** The URL of the database `postgres`, to create and drop others. */
  adminUrl: string;
  /** Stops using the cluster. When its last live user does so, it ends. Safe to repeat. */
  close: () => Promise<void>;
};

export type EmbeddedPostgresOptions = {
  dataDir: string;
  /** More server settings, as `name: value`. */
  settings: Record<string, string>;
  log: DevelopmentLog;
};

const DATABASE = "chainbell";
const ANSWER_TIMEOUT_MS = 2_000;
// Only failures that end by themselves: a port that was taken, and what a killed postmaster left.
const PASSING_FAILURES =
  /Address already in use|pre-existing shared memory block|lock file "postmaster.pid" already exists/;

/**
 * Uses the data directory's PostgreSQL, or makes and starts it on a free port of 127.0.0.1. Its
 * password is in a file that only its owner can read. It is its own process group, so that a Ctrl-C
 * in the terminal does not reach it. Safe for several processes at once.
 * @throws Fault `embedded_postgres_failed` with the end of its log
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
 * Stops and deletes the data directory's cluster, wherever it is. Only for data that may be lost.
 */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  await removeCluster(canonical(dataDir));
}

// The cluster is found by this path, so a link to the data directory must give the same path.
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
        timezone: "UTC",
        log_timezone: "UTC",
      };
      const usual = { unix_socket_directories: "" };
      const flags = Object.entries(Object.assign(usual, settings, fixed)).map(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]);
      return spawn(cluster.binaries.postgres, ["-D", cluster.data, ...flags.flat()], {
        ...spawnOptions(cluster),
        detached: true,
        stdio: ["ignore", output, output],
      });
    },
    // Only this cluster accepts the password, so another server on that port does not count.
    answers: (port) => answers(dataDir, port),
    complete: (port) => createDatabase(dataDir, port),
    mayRepeat: (logTail) => PASSING_FAILURES.test(logTail),
  };
}

function withoutPermission(cause: unknown): never {
  if (!(cause instanceof Error && "code" in cause && "path" in cause)) throw cause;
  throw new Fault(
    "embedded_postgres_failed",
    `The embedded PostgreSQL's files cannot be used (${cause.code}: ${cause.path}). Give this user the right to them, set CHAINBELL_DATA_DIR to another directory, or set DATABASE_URL.`,
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
  // If the server ends, the query fails anyway.
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
