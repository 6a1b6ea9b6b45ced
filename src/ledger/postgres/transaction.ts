import type pg from "pg";
import { clientsOf, type Database } from "./database.ts";
import { type Joined, joinPrisma } from "./joinable-pool.ts";
import type { Models } from "./models.ts";
import { isUnreachable, reaching } from "./reaching.ts";
import { answerMs, longestMs, type StatementKind } from "./statement-kinds.ts";
import { runningOn, type Statements } from "./statements.ts";

declare const underWay: unique symbol;

/**
 * A transaction under way. A function that takes it is a step: whoever began the transaction
 * commits it. Its statements and Prisma's calls share one connection.
 */
export type Tx = Statements & Models & { readonly [underWay]: true };

/**
 * Runs `work` in one READ COMMITTED transaction: all of it is written, or none. An error of `work`
 * undoes it and is thrown on. Where another transaction stands in the way of this one, `work` runs
 * again from the beginning. Its effects beside the transaction must be safe to repeat.
 * @throws Fault `database_unavailable`
 */
export function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(db, "BEGIN ISOLATION LEVEL READ COMMITTED", work);
}

/**
 * As inTransaction, and a table is read as a whole only where no index serves. For statements that
 * find few rows among many. A new or a restored database has no statistics, and its planner takes
 * nearly every row for one of them. Nothing is compiled for them. Before PostgreSQL 18 a whole read
 * that cannot be avoided counts as so dear that each would be compiled, for two seconds.
 */
export function inTransactionByIndex<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const byIndex = "SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
  return run(db, `BEGIN ISOLATION LEVEL READ COMMITTED; ${byIndex}`, work);
}

/**
 * As inTransaction, and its statements may take as long as this kind of work may, whatever its
 * connections are for. For what happens to one that takes longer see `isStatementTimeout`.
 */
export function inTransactionOf<T>(
  db: Database,
  kind: StatementKind,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const bounded = `SET LOCAL statement_timeout = ${longestMs[kind]}`;
  return run(db, `BEGIN ISOLATION LEVEL READ COMMITTED; ${bounded}`, work, answerMs(kind));
}

/** As inTransaction, at REPEATABLE READ: every read sees one snapshot. */
export function inSnapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(db, "BEGIN ISOLATION LEVEL REPEATABLE READ", work);
}

/**
 * The isolation is said each time: the server's own default is the operator's, and a pooler gives
 * each transaction another session.
 */
function run<T>(
  db: Database,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  waitMs: number | null = null,
): Promise<T> {
  return reaching(async () => {
    const client = await clientsOf(db).pool.connect();
    // The pool listens only to clients at rest, and an error that nobody hears ends the process.
    // The next statement says it.
    client.on("error", ignore);
    try {
      await client.query(begin);
      const { tx, leave } = transactionOn(db, waitMs === null ? client : waiting(client, waitMs));
      const result = await work(tx).finally(leave);
      await client.query("COMMIT");
      release(client);
      return result;
    } catch (error) {
      await giveBack(client, error);
      throw error;
    }
  });
}

/**
 * Makes the handle of a transaction that has begun on a connection. Prisma joins the transaction at
 * its first call, and not before: most transactions need none of it.
 */
function transactionOn(db: Database, client: pg.PoolClient) {
  let joined: Promise<Joined> | null = null;
  const join = () => {
    joined ??= joinPrisma(clientsOf(db).prisma, client, prismaLimits);
    return joined;
  };
  const call = async (model: string | symbol, method: string | symbol, args: unknown) =>
    Reflect.get(Reflect.get((await join()).models, model), method)(args);
  const modelOf = (model: string | symbol) =>
    new Proxy({}, { get: (_, method) => (args: unknown) => call(model, method, args) });
  const statements = runningOn((query) => client.query(query));
  const tx = new Proxy(statements, {
    get: (_, name) => Reflect.get(statements, name) ?? modelOf(name),
  }) as Tx;
  return { tx, leave: async () => joined && (await joined).leave() };
}

/** The connection, whose driver waits so long for each answer. */
function waiting(client: pg.PoolClient, query_timeout: number): pg.PoolClient {
  return new Proxy(client, {
    get: (target, name) =>
      name === "query"
        ? (query: pg.QueryConfig) => target.query(Object.assign({}, query, { query_timeout }))
        : Reflect.get(target, name),
  });
}

/** Longest that Prisma stays in a transaction: far above what any needs. */
const prismaLimits = { timeout: 60_000, maxWait: 15_000 };

/** A connection that is lost, or whose transaction cannot be undone, is not used again. */
async function giveBack(client: pg.PoolClient, error: unknown): Promise<void> {
  if (isUnreachable(error)) return release(client, true);
  await client.query("ROLLBACK").then(
    () => release(client),
    (lost: Error) => release(client, lost),
  );
}

function release(client: pg.PoolClient, lost?: Error | true): void {
  client.release(lost);
  client.off("error", ignore);
}

const ignore = () => {};
