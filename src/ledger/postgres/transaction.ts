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
 * A transaction under way. A function that takes it is one step: the caller who began it commits
 * it. Its statements and Prisma's calls share one connection.
 */
export type Tx = TxStatements & Models & { readonly [underWay]: true };

/**
 * Runs `work` in one READ COMMITTED transaction: all of it is written, or nothing. An error of
 * `work` undoes the transaction, and is thrown. After a conflict with another transaction `work`
 * runs again from its beginning. So effects of `work` outside the transaction must be safe to
 * repeat.
 * @throws Fault `database_unavailable`
 */
export function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(db, { text: readCommitted }, work);
}

/**
 * As inTransaction, but PostgreSQL reads a whole table only if no index serves. Use it for
 * statements that find few rows among many. A new or restored database has no statistics, so the
 * planner would expect nearly every row to match. Statements marked `preparedByIndex` keep their
 * plans here.
 *
 * jit is off. Before PostgreSQL 18 an unavoidable whole read seems so expensive that each statement
 * would be compiled. That takes 2 s.
 */
export function inTransactionByIndex<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const byIndex = "SET LOCAL enable_seqscan = off; SET LOCAL jit = off";
  return run(db, { text: `${readCommitted}; ${byIndex}`, isByIndex: true }, work);
}

/**
 * As inTransaction, with the time limit of this kind of work for each statement, whatever the
 * connection's own limit. See `isStatementTimeout` for a statement that takes longer.
 */
export function inTransactionOf<T>(
  db: Database,
  kind: StatementKind,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const bounded = `SET LOCAL statement_timeout = ${longestMs[kind]}`;
  return run(db, { text: `${readCommitted}; ${bounded}`, waitMs: answerMs(kind) }, work);
}

/** As inTransaction, at REPEATABLE READ: every read sees one snapshot. */
export function inSnapshot<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(db, { text: "BEGIN ISOLATION LEVEL REPEATABLE READ" }, work);
}

/**
 * Runs a transaction. BEGIN always names the isolation level. The server's default is the
 * operator's choice, and a pooler gives each transaction another session.
 */
function run<T>(db: Database, beginning: Beginning, work: (tx: Tx) => Promise<T>): Promise<T> {
  return reaching(async () => {
    const client = await clientsOf(db).pool.connect();
    // The pool listens only to idle clients. Without a listener the event would end the process.
    // The next statement fails with the same error.
    client.on("error", ignore);
    const { tx, commit, abandon } = begin(db, client, beginning);
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

const readCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED";

type Beginning = {
  /** The statements that begin the transaction. */
  text: string;
  /** True if the text makes the planner use indexes only. */
  isByIndex?: boolean;
  /** The longest wait for each answer, in ms. Left out: the connection's own limit. */
  waitMs?: number;
};

/**
 * Begins a transaction. Statements are sent one after another, and answered in that order. Before
 * BEGIN is answered, only `$lockRaw` may send. After the end nothing may be sent, because a
 * statement would run outside of the transaction.
 */
function begin(
  db: Database,
  client: pg.PoolClient,
  { text, isByIndex = false, waitMs }: Beginning,
) {
  /** Answers that the end of the transaction awaits. */
  const kept: Promise<unknown>[] = [];
  /** The first error of the server or the driver, in the order of sending. */
  let failure: Error | null = null;
  let inFlight = 0;
  let hasAsked = false;
  let isOver = false;

  /**
   * Sends a statement. The time limit of its answer includes those of all unanswered statements
   * before it.
   */
  function send(query: pg.QueryConfig<unknown[]>): Promise<pg.QueryResult> {
    inFlight += 1;
    const isLonger = waitMs !== undefined || inFlight > 1;
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
      // The stack shows who sent the statement, instead of the socket.
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

  const statements = runningOn(ask, isByIndex);
  const { models, leave } = modelsIn(db, {
    client: waitMs === undefined ? client : waiting(client, waitMs),
    async begin() {
      await begun;
      if (isOver) throw ended();
    },
  });
  const own: TxStatements = {
    ...statements,
    $sendRaw: (strings, ...values) => void keep(statements.$queryRaw(strings, ...values)),
    $lockRaw: runningOn(lock, isByIndex).$queryRaw,
    $lastRaw: runningOn(last, isByIndex).$queryRaw,
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
    /**
     * Answers the cause of a failure. Later statements only say that the transaction has failed.
     */
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

/**
 * Throws if a COMMIT was answered with ROLLBACK. The server gives no error when a failed
 * transaction is committed.
 */
function requireCommit({ command }: pg.QueryResult): void {
  if (command !== "COMMIT")
    throw new Fault("invariant_broken", "The transaction had failed, and was undone.");
}

/**
 * True if an error only follows from an earlier one. That is a statement in a failed transaction
 * (25P02), one whose PREPARE failed there (26000), or one after the end.
 */
function isConsequence(cause: unknown): boolean {
  if (cause instanceof Fault) return cause.message === endedText;
  return cause instanceof Error && "code" in cause && /^(25P02|26000)$/.test(String(cause.code));
}

/**
 * Prisma's models in a transaction. Prisma joins the transaction at its first call, because most
 * transactions do not need Prisma.
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

/** The same connection with this time limit for each answer, in ms. */
function waiting(client: pg.PoolClient, query_timeout: number): pg.PoolClient {
  return new Proxy(client, {
    get: (target, name) =>
      name === "query"
        ? (query: pg.QueryConfig) => target.query(Object.assign({}, query, { query_timeout }))
        : Reflect.get(target, name),
  });
}

/** Prisma's own limits for a transaction, in ms: far above what any transaction needs. */
const prismaLimits = { timeout: 60_000, maxWait: 15_000 };

/**
 * Rolls back and gives the connection back. A lost connection, or one that cannot roll back, is
 * closed.
 */
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
