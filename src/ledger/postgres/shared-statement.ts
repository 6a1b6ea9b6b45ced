import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import { Prisma } from "../generated/client.ts";
import { clientsOf, type Database } from "./database.ts";
import { reaching } from "./reaching.ts";
import { prepared, statement } from "./statement.ts";

/**
 * A statement with one value as its answer. It may share a round trip with other questions. It must
 * be safe to repeat.
 */
export type Question = {
  /**
   * Questions of one statement are ordered by name. So writes always take their locks in that
   * order.
   */
  name: string;
  /**
   * Each is an INSERT, UPDATE or DELETE with RETURNING. The writes of a statement do not see each
   * other, and must not write the same row. Left out: the question only reads.
   */
  writes?: readonly Prisma.Sql[];
  /** A query with one column and at most one row. `first` names the rows of the first write. */
  answer: (first: Prisma.Sql) => Prisma.Sql;
  /** True: prepared when it is asked alone (see statement.ts). */
  isPrepared?: boolean;
};

type Asked = {
  db: Database;
  question: Question;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};

/** Pools of one database whose questions share statements. */
type Circle = {
  asked: Asked[];
  /** When each pool last sent a shared statement. A higher number is later. */
  led: Map<Database, number>;
};

/**
 * After this many ms without an answer, a shared statement's session may be dead, or wait for a
 * lock. Then each pool asks its own questions.
 */
const patienceMs = 1_000;

const circles = new WeakMap<Database, Circle>();

/** Runs a function outside of every AsyncLocalStorage context. */
const forNobody = AsyncLocalStorage.snapshot();

/**
 * Lets questions of `db` share statements with those of `other`, another pool of the same database.
 */
export function shareQuestions(db: Database, other: Database): void {
  const circle = circles.get(other) ?? { asked: [], led: new Map() };
  circles.set(other, circle);
  circles.set(db, circle);
}

/**
 * Asks a question. If pools share questions, all that are asked in one turn of the event loop
 * become one statement. If that fails or is slow, each question is asked by itself. So the failure
 * of one question never fails another.
 * @returns the value as the driver gives it, with the types of `statement`; null: no row
 * @throws Fault `database_unavailable`
 */
export function ask(db: Database, question: Question): Promise<unknown> {
  const circle = circles.get(db);
  if (circle === undefined) return askAlone(db, question);
  return new Promise((resolve, reject) => {
    // An immediate runs after all timers of the same moment and what follows from them. It runs
    // outside of the caller's context, because others wait for this statement too.
    if (circle.asked.length === 0) forNobody(() => setImmediate(() => void flush(circle)));
    circle.asked.push({ db, question, resolve, reject });
  });
}

async function flush(circle: Circle): Promise<void> {
  const asked = circle.asked.sort(({ question: a }, { question: b }) => (a.name < b.name ? -1 : 1));
  circle.asked = [];
  let isAskedAlone = false;
  const askEach = () => {
    if (isAskedAlone) return;
    isAskedAlone = true;
    for (const { db, question, resolve, reject } of asked)
      askAlone(db, question).then(resolve, reject);
  };
  const [first, second] = asked;
  if (first === undefined || second === undefined) return askEach();
  const patience = setTimeout(askEach, patienceMs);
  try {
    const questions = asked.map(({ question }) => question);
    const answers = await answersOf(leader(circle, first.db, asked), together(questions));
    for (const [place, { resolve }] of asked.entries()) resolve(answers[String(place)] ?? null);
  } catch {
    askEach();
  } finally {
    clearTimeout(patience);
  }
}

/**
 * Chooses the pool that sends the shared statement. Pools take turns, so that each keeps a session
 * open and notices a dead one. A pool with a free session goes first, so nobody waits for a session
 * or opens one.
 */
function leader({ led }: Circle, first: Database, asked: readonly Asked[]): Database {
  const turnOf = (db: Database) => led.get(db) ?? 0;
  const free = asked.map(({ db }) => db).filter((db) => clientsOf(db).pool.idleCount > 0);
  const next = free.reduce((a, b) => (turnOf(b) < turnOf(a) ? b : a), free[0] ?? first);
  led.set(next, Math.max(0, ...led.values()) + 1);
  return next;
}

async function askAlone(db: Database, question: Question): Promise<unknown> {
  const sql = together([question]);
  const answers = await answersOf(
    db,
    question.isPrepared === true ? Prisma.sql`${prepared} ${sql}` : sql,
  );
  return answers["0"] ?? null;
}

async function answersOf(db: Database, sql: Prisma.Sql): Promise<Record<string, unknown>> {
  const { pool } = clientsOf(db);
  const { rows }: pg.QueryResult<Record<string, unknown>> = await reaching(() =>
    pool.query(statement(sql)),
  );
  return rows[0] ?? {};
}

/** Makes one statement. Its row has the answer of each question under the question's number. */
function together(questions: readonly Question[]): Prisma.Sql {
  const nameOf = (place: number, write: number) => Prisma.raw(`write_${place}_${write}`);
  const writes = questions.flatMap(({ writes: own = [] }, place) =>
    own.map((sql, write) => Prisma.sql`${nameOf(place, write)} AS (${sql})`),
  );
  const answers = questions.map(
    ({ answer }, place) => Prisma.sql`(${answer(nameOf(place, 0))}) AS ${Prisma.raw(`"${place}"`)}`,
  );
  const began = writes.length === 0 ? Prisma.empty : Prisma.sql`WITH ${Prisma.join(writes)}`;
  return Prisma.sql`${began} SELECT ${Prisma.join(answers)}`;
}
