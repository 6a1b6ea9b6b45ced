import type pg from "pg";
import { Fault } from "../../domain/fault.ts";
import { clientsOf, type Database } from "./database.ts";
import { type Joined, joinPrisma } from "./joinable-pool.ts";
import type { Models } from "./models.ts";
import { isUnreachable, reaching } from "./reaching.ts";
import { answerMs, longestMs, type StatementKind } from "./statement-kinds.ts";
import { runningOn, statementIn, type TxStatements } from "./statements.ts";

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

/**
 * The statement that begins a transaction, and the time in ms for which each answer is waited for;
 * null: as long as the connection says.
 */
type Beginning = { client: pg.PoolClient; text: string; waitMs: number | null };

/**
 * Begins a transaction. Statements are sent one behind the other, and their answers come in that
 * order. Only what `$lockRaw` allows is sent before the transaction has begun, and nothing after it
 * was committed or abandoned: the statement would take place by itself.
 */
function begin(db: Database, { client, text, waitMs }: Beginning) {
  /** Answers that nobody else waits for. */
  const kept: Promise<unknown>[] = [];
  /** The first that failed, in the order of sending, where the server or the driver said so. */
  let failure: Error | null = null;
  let inFlight = 0;
  let hasAsked = false;
  let isOver = false;

  /** Each answer is waited for its own time, and that of the answers before it. */
  function send(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    inFlight += 1;
    const isLonger = waitMs !== null || inFlight > 1;
    const query_timeout = (waitMs ?? clientsOf(db).answerMs) * inFlight;
    const timed = isLonger ? Object.assign({}, query, { query_timeout }) : query;
    return new Promise<pg.QueryResult>((resolve, reject) =>
      client.query(timed, (error: Error | null, answer) => {
        inFlight -= 1;
        if (error === null) return resolve(answer);
        failure ??= error;
        reject(error);
      }),
    ).catch((error: Error) => {
      // The stack leads to the statement, and not to the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  }

  function keep<Answer>(answer: Promise<Answer>): Promise<Answer> {
    answer.catch(ignore);
    kept.push(answer);
    return answer;
  }

  const begun = keep(send({ text }));

  async function ask(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    hasAsked = true;
    await begun;
    if (isOver) throw ended();
    return send(query);
  }

  async function lock(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    if (hasAsked || isOver) return ask(query);
    const [, locked] = await Promise.all([begun, keep(send(query))]);
    return locked;
  }

  async function sendCommit(): Promise<void> {
    await begun;
    if (isOver) return;
    isOver = true;
    if (failure !== null) throw failure;
    void keep(send({ text: "COMMIT" }).then(requireCommit));
  }

  async function last(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    const [answer] = await Promise.all([keep(ask(query)), sendCommit()]);
    await answered();
    return answer;
  }

  async function answered(): Promise<void> {
    for (const answer of kept) await answer;
  }

  const statements = runningOn(ask);
  const { models, leave } = modelsIn(db, {
    client: waitMs === null ? client : waiting(client, waitMs),
    async begin() {
      await begun;
      if (isOver) throw ended();
    },
  });
  const own: TxStatements = {
    ...statements,
    $sendRaw: (strings, ...values) => void keep(ask(statementIn(strings, values))),
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
      await Promise.allSettled(kept);
      return isConsequence(error) ? (failure ?? error) : error;
    },
  };
}

const endedText = "The transaction has ended.";
const ended = () => new Fault("invariant_broken", endedText);

/** The server answers the commit of a transaction that has failed with ROLLBACK, and no error. */
function requireCommit({ command }: pg.QueryResult): void {
  if (command !== "COMMIT")
    throw new Fault("invariant_broken", "The transaction had failed, and was undone.");
}

/**
 * True of a statement in a transaction that has failed before (25P02), of a prepared one whose
 * parse was refused there (26000), and of one that came after the end.
 */
function isConsequence(cause: unknown): boolean {
  if (cause instanceof Fault) return cause.message === endedText;
  return cause instanceof Error && "code" in cause && /^(25P02|26000)$/.test(String(cause.code));
}

/**
 * Prisma's models in a transaction. Prisma joins it at its first call, and not before: most
 * transactions need none of it.
 * @param on.begin resolves once the transaction has begun, and rejects once it has ended
 */
function modelsIn(db: Database, on: { client: pg.PoolClient; begin: () => Promise<void> }) {
  let joined: Promise<Joined> | null = null;
  const call = async (model: string | symbol, method: string | symbol, args: unknown) => {
    await on.begin();
    joined ??= joinPrisma(clientsOf(db).prisma, on.client, prismaLimits);
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
