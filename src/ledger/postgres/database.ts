import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { Fault } from "../../domain/fault.ts";
import { PrismaClient } from "../generated/client.ts";
import { connectionTo, wantsPrimary } from "./connection/choose-server.ts";
import { processOf } from "./connection/pooler.ts";
import { watchForSilence } from "./connection/silence.ts";
import { WatchedClient } from "./connection/watched-client.ts";
import { readGeneration, requireGeneration } from "./generation.ts";
import { JoinablePool, type Turn } from "./joinable-pool.ts";
import { answerMs, longestMs, type StatementKind } from "./statement-kinds.ts";

declare const opened: unique symbol;

/**
 * The ledger's handle on PostgreSQL. Nothing can be asked of it but through a function of the
 * ledger, and no transaction is one: a function that takes it does something whole.
 */
export type Database = { readonly [opened]: true };

/**
 * Opens a pool; connects on first use.
 * @param poolSize connections at most. Each role that works at the same time needs one, plus one
 * for reads.
 * @param turn what a caller waits for before it takes a connection; left out: nothing
 * @param kind the work that is done over it, which says how long a statement may take; left out:
 * money. A transaction may be of another kind.
 */
export function openDatabase(options: {
  databaseUrl: string;
  poolSize: number;
  turn?: Turn;
  kind?: StatementKind;
}): Database {
  const { kind = "money" } = options;
  const isWritten = wantsPrimary(options.databaseUrl);
  const silence = watchForSilence(options.databaseUrl);
  const settings = {
    Client: WatchedClient,
    ...connectionTo(options.databaseUrl),
    max: options.poolSize,
    // One stays open, so that nothing waits for a login after a quiet time.
    min: 1,
    connectionTimeoutMillis: 5_000,
    query_timeout: answerMs(kind),
    keepAlive: true,
    // A statement does not wait for the answers of those before it (see transaction.ts).
    pipeline: true,
    application_name: "chainbell",
    onConnect: (client: pg.ClientBase) => setUp(client, { isWritten, kind }),
  };
  const pool = new JoinablePool(settings, options.turn ?? null);
  // An idle connection that breaks is replaced by the pool; without a listener it would end the
  // process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client instanceof WatchedClient && silence.add(client));
  pool.on("remove", (client) => client instanceof WatchedClient && silence.remove(client));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  const db = prisma as unknown as Database;
  clients.set(db, { pool, prisma, answerMs: answerMs(kind) });
  return db;
}

/** Ends its connections. Safe to repeat. */
export async function closeDatabase(db: Database): Promise<void> {
  await clientsOf(db).prisma.$disconnect();
}

/**
 * A process that ends is noticed by then, in ms, and its statement is not worked on for nobody. It
 * is asked of the system, and costs nothing of the network.
 */
const lostAfterMs = 2_000;

/**
 * The zone is UTC, whatever the server's is: the driver adapter reads every timestamp as if its
 * offset were zero. A pooler refuses it as an option of the login. Nothing is compiled: PostgreSQL
 * does so where it expects much work, which takes longer than any statement here. A single
 * statement is READ COMMITTED, whatever the database's own default is; a transaction says so
 * itself.
 */
const settingsOf = (kind: StatementKind) => ({
  TimeZone: "UTC",
  jit: "off",
  default_transaction_isolation: "read committed",
  statement_timeout: String(longestMs[kind]),
});

/** For the session, or behind a pooler only for this statement: see WatchedClient.noteBackend. */
async function setUp(
  client: pg.ClientBase,
  { isWritten, kind }: { isWritten: boolean; kind: StatementKind },
): Promise<void> {
  const settings = Object.entries(settingsOf(kind));
  const isPooled = `pg_backend_pid() IS DISTINCT FROM ${Number(processOf(client))}`;
  const set = ([name, value]: string[]) => `set_config('${name}', '${value}', ${isPooled})`;
  const check = ["client_connection_check_interval", String(lostAfterMs)];
  const [{ rows }, isChecked] = await Promise.all([
    client.query<{ pid: number; isReplica: boolean }>(
      `SELECT ${settings.map(set).join(", ")},
        pg_backend_pid() AS pid, pg_is_in_recovery() AS "isReplica"`,
    ),
    // A server on Windows cannot, and refuses it.
    client.query(`SELECT ${set(check)}`).then(
      () => true,
      () => false,
    ),
  ]);
  // It was the primary when it was chosen. Kept, the connection would refuse whatever is written
  // for as long as it lives.
  if (isWritten && rows[0]?.isReplica === true)
    throw Object.assign(new Error("The server has become a replica."), { code: "08001" });
  // A process that has lost its connections meanwhile may find the database migrated.
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
  /** The time in ms for which an answer is waited for. */
  answerMs: number;
};

/** The clients behind each database. Prisma and the statements beside it share the connections. */
const clients = new WeakMap<Database, Clients>();

/** For the rest of this room. */
export function clientsOf(db: Database): Clients {
  const found = clients.get(db);
  if (found !== undefined) return found;
  throw new Fault("invariant_broken", "openDatabase has not opened this.");
}
