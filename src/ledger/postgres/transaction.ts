import type pg from "pg";
import { Fault } from "../../domain/fault.ts";
import { clientsOf, type Database } from "./database.ts";
import { type Joined, joinPrisma } from "./joinable-pool.ts";
import type { Models } from "./models.ts";
import { isUnreachable, reaching } from "./reaching.ts";
import { answerMs, longestMs, type StatementKind } from "./statement-kinds.ts";
import { runningOn, type TxStatements } from "./statements.ts";

declare const underWay: unique symbol;

/**
 * A transaction under way. A function that takes it is a step: whoever began the transaction
 * commits it. Its statements and Prisma's calls share one connection.
 */
export type Tx = TxStatements & Models & { readonly [underWay]: true };

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
  text: string,
  work: (tx: Tx) => Promise<T>,
  waitMs: number | null = null,
): Promise<T> {
  return reaching(async () => {
    const client = await clientsOf(db).pool.connect();
    // The pool listens only to clients at rest, and an error that nobody hears ends the process.
    // The next statement says it.
    client.on("error", ignore);
    const { tx, commit, abandon } = begin(db, { client, text, waitMs });
    try {
      const result = await work(tx);
      await commit();
      release(client);
      return result;
    } catch (error) {
      const cause = await abandon(error);
      await giveBack(client, cause);
      throw cause;
    }
  });
}

/** A statement that begins a transaction on a connection; null: the driver waits as it is set to. */
type Beginning = { client: pg.PoolClient; text: string; waitMs: number | null };

/**
 * Begins a transaction. Statements are sent one behind the other, and their answers come in that
 * order. Only a lock is sent before the transaction has begun, and nothing after it was committed
 * or abandoned: the statement would take place by itself.
 */
function begin(db: Database, { client, text, waitMs }: Beginning) {
  /** Answers of statements that nobody else waits for, in order. */
  const answers: Promise<unknown>[] = [];
  const on = waitMs === null ? client : waiting(client, waitMs);
  let isOver = false;

  function keep<Answer>(answer: Promise<Answer>): Promise<Answer> {
    answer.catch(ignore);
    answers.push(answer);
    return answer;
  }

  const begun = keep(client.query(text));

  async function ask(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    await begun;
    if (isOver) throw ended();
    return on.query(query);
  }

  async function lock(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    if (isOver) throw ended();
    const [, locked] = await Promise.all([begun, keep(on.query(query))]);
    return locked;
  }

  /** It undoes everything where a statement before it has failed. */
  async function sendCommit(): Promise<void> {
    await begun;
    if (!isOver) void keep(client.query("COMMIT"));
    isOver = true;
  }

  async function last(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    const [answer] = await Promise.all([keep(ask(query)), sendCommit()]);
    await answered();
    return answer;
  }

  /** Rejects as the first of them that failed. */
  async function answered(): Promise<void> {
    for (const answer of answers) await answer;
  }

  const statements = runningOn(ask);
  const { models, leave } = modelsIn(db, { client, begun });
  const own: TxStatements = {
    ...statements,
    $sendRaw: (strings, ...values) => void keep(statements.$executeRaw(strings, ...values)),
    $lockRaw: runningOn(lock).$queryRaw,
    $lastRaw: runningOn(last).$queryRaw,
  };
  const tx = new Proxy(own, {
    get: (_, name) => Reflect.get(own, name) ?? models(name),
  }) as Tx;
  return {
    tx,
    async commit() {
      await leave();
      await sendCommit();
      await answered();
    },
    /** Answers why it failed. A statement after the one that failed says only that one has. */
    async abandon(error: unknown): Promise<unknown> {
      isOver = true;
      await leave().catch(ignore);
      const outcomes = await Promise.allSettled(answers);
      const failed = outcomes.find((one) => one.status === "rejected");
      return failed === undefined || isAfterFailure(failed.reason) ? error : failed.reason;
    },
  };
}

const ended = () => new Fault("invariant_broken", "The transaction has ended.");

/** True of a statement in a transaction that has failed before (25P02). */
function isAfterFailure(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "25P02";
}

/**
 * Prisma's models in a transaction. Prisma joins it at its first call, and not before: most
 * transactions need none of it.
 */
function modelsIn(db: Database, on: { client: pg.PoolClient; begun: Promise<unknown> }) {
  let joined: Promise<Joined> | null = null;
  const join = async () => {
    await on.begun;
    return joinPrisma(clientsOf(db).prisma, on.client, prismaLimits);
  };
  const call = async (model: string | symbol, method: string | symbol, args: unknown) => {
    joined ??= join();
    return Reflect.get(Reflect.get((await joined).models, model), method)(args);
  };
  return {
    models: (model: string | symbol) =>
      new Proxy({}, { get: (_, method) => (args: unknown) => call(model, method, args) }),
    leave: async () => joined && (await joined).leave(),
  };
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
