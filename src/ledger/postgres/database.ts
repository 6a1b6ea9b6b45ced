import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { Fault } from "../../domain/fault.ts";
import { PrismaClient } from "../generated/client.ts";
import { connectionTo, wantsPrimary } from "./connection/choose-server.ts";
import { keptAlive } from "./connection/kept-alive.ts";
import { processOf } from "./connection/pooler.ts";
import { WatchedClient } from "./connection/watched-client.ts";
import { watchClient } from "./connection/watched-connection.ts";
import { readGeneration, requireGeneration } from "./generation.ts";
import { JoinablePool, type Turn } from "./joinable-pool.ts";
import { answerMs, longestMs, longestPauseMs, type StatementKind } from "./statement-kinds.ts";

declare const opened: unique symbol;

/**
 * A handle on PostgreSQL. Only functions of the ledger can use it. It is no transaction: a function
 * that takes it does a whole piece of work.
 */
export type Database = { readonly [opened]: true };

/**
 * Opens a pool, which connects on first use.
 * @param poolSize the most connections. Each role that works at the same time needs one, and reads
 *   need one more
 * @param turn a caller waits for this before it takes a connection; left out: for nothing
 * @param kind the kind of work, which decides how long a statement may take; left out: money. A
 *   transaction may be of another kind
 */
export function openDatabase(options: {
  databaseUrl: string;
  poolSize: number;
  turn?: Turn;
  kind?: StatementKind;
}): Database {
  const { kind = "money", databaseUrl } = options;
  const isWritten = wantsPrimary(databaseUrl);
  const settings = {
    Client: WatchedClient,
    ...connectionTo(databaseUrl),
    max: options.poolSize,
    // One connection stays open, so that no query waits for a login after a quiet time.
    min: 1,
    connectionTimeoutMillis: 5_000,
    query_timeout: answerMs(kind),
    // A statement is sent before earlier ones are answered (see transaction.ts).
    pipeline: true,
    application_name: "chainbell",
    onConnect(client: pg.ClientBase) {
      watchClient(databaseUrl, client);
      return setUp(client, { isWritten, kind });
    },
  };
  const pool = new JoinablePool(settings, options.turn ?? null);
  // The pool replaces a broken idle connection. Without a listener the event would end the process.
  pool.on("error", () => {});
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  const db = prisma as unknown as Database;
  clients.set(db, { pool, prisma, answerMs: answerMs(kind) });
  return db;
}

/** Closes the database's connections. Safe to repeat. */
export async function closeDatabase(db: Database): Promise<void> {
  await clientsOf(db).prisma.$disconnect();
}

/**
 * The server checks this often, in ms, whether our process is still connected, and stops its
 * statement if not. The check asks the operating system and sends nothing.
 */
const lostAfterMs = 2_000;

/**
 * Settings of each connection. A pooler refuses them as options of the login.
 * - TimeZone: the driver adapter reads every timestamp as if its offset were zero.
 * - jit: PostgreSQL compiles a query that it expects to be large, which takes longer than any
 *   statement here.
 * - default_transaction_isolation: for single statements. A transaction sets its own level.
 */
const settingsOf = (kind: StatementKind) => ({
  TimeZone: "UTC",
  jit: "off",
  default_transaction_isolation: "read committed",
  statement_timeout: String(longestMs[kind]),
  idle_in_transaction_session_timeout: String(longestPauseMs),
});

/**
 * Sets these for the session, or behind a pooler for this statement only (see
 * WatchedClient.noteBackend). A pooler tests its connections to the server by its own settings.
 */
async function setUp(
  client: pg.ClientBase,
  { isWritten, kind }: { isWritten: boolean; kind: StatementKind },
): Promise<void> {
  const settings = Object.entries(settingsOf(kind));
  const isPooled = `pg_backend_pid() IS DISTINCT FROM ${Number(processOf(client))}`;
  const set = ([name, value]: string[]) => `set_config('${name}', '${value}', ${isPooled})`;
  const all = [...settings, ...Object.entries(keptAlive)];
  const check = ["client_connection_check_interval", String(lostAfterMs)];
  const [{ rows }, isChecked] = await Promise.all([
    client.query<{ pid: number; isReplica: boolean }>(
      `SELECT ${all.map(set).join(", ")},
        pg_backend_pid() AS pid, pg_is_in_recovery() AS "isReplica"`,
    ),
    // A server on Windows does not support this setting, and refuses it.
    client.query(`SELECT ${set(check)}`).then(
      () => true,
      () => false,
    ),
  ]);
  // The server was the primary when it was chosen. This connection would refuse every write from
  // now on.
  if (isWritten && rows[0]?.isReplica === true)
    throw Object.assign(new Error("The server has become a replica."), { code: "08001" });
  // While this process had no connection, a later release may have migrated the database.
  await requireGeneration(readGeneration(client));
  if (!(client instanceof WatchedClient)) return;
  const local = [...settings, ...(isChecked ? [check] : [])];
  client.noteBackend(
    rows[0]?.pid ?? 0,
    local.map(([name, value]) => `SET LOCAL ${name} = '${value}'`).join("; "),
  );
}

type Clients = {
  pool: pg.Pool;
  prisma: PrismaClient;
  /** The longest wait for an answer, in ms. */
  answerMs: number;
};

/** The clients behind each database. Prisma and raw statements share the same connections. */
const clients = new WeakMap<Database, Clients>();

/** For files of this folder only. */
export function clientsOf(db: Database): Clients {
  const found = clients.get(db);
  if (found !== undefined) return found;
  throw new Fault("invariant_broken", "openDatabase has not opened this.");
}
