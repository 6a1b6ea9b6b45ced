import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Fault } from "../../domain/fault.ts";
import { Prisma, PrismaClient } from "../generated/client.ts";
import { connectionTo, wantsPrimary } from "./connection/choose-server.ts";
import { watchForSilence } from "./connection/silence.ts";
import { WatchedClient } from "./connection/watched-client.ts";

/** A statement without an answer for this long, in ms, is given up. What falls silent is noticed before: see connection/silence.ts. */
const longestMs = 60_000;

/** The ledger's handle on PostgreSQL: made once by app.ts, given to every ledger function. */
export type Database = PrismaClient;

/** A transaction under way. Helpers take it; the exported function that began it commits. */
export type Tx = Prisma.TransactionClient;

/**
 * Opens a pool; connects on first use.
 * @param poolSize connections at most. Each role that works at the same time needs one, plus one for reads.
 */
export function openDatabase(options: { databaseUrl: string; poolSize: number }): Database {
  const isWritten = wantsPrimary(options.databaseUrl);
  const silence = watchForSilence(options.databaseUrl);
  const pool = new pg.Pool({
    Client: WatchedClient,
    ...connectionTo(options.databaseUrl),
    max: options.poolSize,
    connectionTimeoutMillis: 5_000,
    query_timeout: longestMs,
    keepAlive: true,
    application_name: "chainbell",
    onConnect: (client) => setUp(client, isWritten),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client instanceof WatchedClient && silence.add(client));
  pool.on("remove", (client) => client instanceof WatchedClient && silence.remove(client));
  const db = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  pools.set(db, pool);
  return db;
}

/**
 * The zone is UTC, whatever the server's is: the driver adapter reads every timestamp as if its offset were zero. A pooler refuses it as an
 * option of the login; this way it keeps the zone for us on whatever connection of its own we have. Nothing is compiled: PostgreSQL
 * does so where it expects much work, which takes longer than any statement here.
 */
async function setUp(client: pg.ClientBase, isWritten: boolean): Promise<void> {
  const { rows } = await client.query<{ pid: number; isReplica: boolean }>(
    `SELECT set_config('TimeZone', 'UTC', false), set_config('jit', 'off', false), pg_backend_pid() AS pid, pg_is_in_recovery() AS "isReplica"`,
  );
  // It was the primary when it was chosen. Kept, the connection would refuse whatever is written for as long as it lives.
  if (isWritten && rows[0]?.isReplica === true)
    throw Object.assign(new Error("The server has become a replica."), { code: "08001" });
  if (client instanceof WatchedClient) client.noteBackend(rows[0]?.pid ?? 0);
}

/** Each database's connections, which Prisma and the statements beside it share. */
const pools = new WeakMap<Database, pg.Pool>();

/** The connections of a database that openDatabase opened. */
export function poolOf(db: Database): pg.Pool {
  const pool = pools.get(db);
  if (pool !== undefined) return pool;
  throw new Fault("invariant_broken", "A transaction has no pool: only a database has.");
}

/** Transactions in progress, to distinguish them from a database. */
const underWay = new WeakSet<object>();

/** Longest a ledger transaction may run, and longest it may wait for a connection: far above what any needs. */
const transactionLimits = { timeout: longestMs, maxWait: 15_000 };

/**
 * Runs `work` in one READ COMMITTED transaction: all of it is written, or none. What `work` throws undoes it and is
 * thrown on; a database that cannot be reached is a Fault `database_unavailable`. Where `db` is a transaction under
 * way already (see audited), `work` becomes a part of it.
 */
export async function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (underWay.has(db)) return work(db);
  return reaching(() =>
    db.$transaction((tx) => {
      underWay.add(tx);
      return work(tx);
    }, transactionLimits),
  );
}

/** As inTransaction, at REPEATABLE READ: every read sees one snapshot. */
export async function inSnapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const isolationLevel = Prisma.TransactionIsolationLevel.RepeatableRead;
  return reaching(() => db.$transaction(work, { ...transactionLimits, isolationLevel }));
}

/** Runs a query and turns a lost or refused connection into the Fault the rest of Chainbell knows. */
export async function reaching<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    throw isUnreachable(error)
      ? new Fault("database_unavailable", "The database is out of reach; it is tried again.", {
          cause: error,
        })
      : error;
  }
}

/**
 * What PostgreSQL says when it cannot work for anybody now: 57P01-03 it is shutting down or starting; 08xxx the connection; 53xxx it has
 * no disk, memory or connections left; 28xxx and 3D000 it refuses a login that it took at the start; 25006 it has become a replica.
 */
const passing = /57P0[123]|08[0-9A-Z]{3}|53[0-9A-Z]{3}|28(?:000|P01)|3D000|25006/;

// Prisma's own codes for "refused the login", "cannot reach", "timed out reaching", "no such database", "denied", "closed the connection", "no
// connection free in time", "cannot start a transaction in time" and "too many connections"; then what the driver and PostgreSQL say.
const unreachableCodes = new RegExp(
  `^(P1000|P1001|P1002|P1003|P1010|P1017|P2024|P2028|P2037|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|${passing.source})$`,
);

const unreachableInMeta = new RegExp(
  `ECONNREFUSED|DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections|AuthenticationFailed|"(?:${passing.source})"`,
);

/** Whether an error says that the connection is lost or was never had, or that the database can do nothing with it. */
export function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Fault) return false;
    const code = "code" in cause ? String(cause.code) : "";
    if (unreachableCodes.test(code)) return true;
    if (
      /Connection terminated|Can't reach database|timeout exceeded when trying to connect|Query read timeout|is not queryable/i.test(
        cause.message,
      )
    )
      return true;
    const meta = "meta" in cause ? JSON.stringify(cause.meta) : "";
    if (unreachableInMeta.test(meta)) return true;
  }
  return false;
}

/** Whether PostgreSQL says that a lock was not to be had within `lock_timeout` (55P03). */
export function isLockTimeout(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "55P03";
}
