import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import { Prisma } from "../generated/client.ts";
import { clientsOf, type Database } from "./database.ts";
import { reaching } from "./reaching.ts";
import { prepared, statement } from "./statement.ts";

/** A statement that has one value as its answer, and may share one with others. Safe to repeat. */
export type Question = {
  /** Questions that write take their locks in the order of these words. */
  name: string;
  /**
   * Each is an INSERT, UPDATE or DELETE with a RETURNING. They see nothing of each other, and write
   * no row twice. Left out: it only reads.
   */
  writes?: readonly Prisma.Sql[];
  /** A query with one column and at most one row; `first`: the rows of the first of the writes. */
  answer: (first: Prisma.Sql) => Prisma.Sql;
  /** Alone, it is prepared (see statement.ts). */
  isPrepared?: boolean;
};

type Asked = {
  db: Database;
  question: Question;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};

/** Pools of one database that share their questions. */
type Circle = {
  asked: Asked[];
  /** The last turn of each pool to ask for all. */
  led: Map<Database, number>;
};

/**
 * A statement of several without an answer for so long, in ms, may be on a session that has fallen
 * silent, or behind somebody's lock. Then each question is asked by itself, by its own pool.
 */
const patienceMs = 1_000;

const circles = new WeakMap<Database, Circle>();

/** Does its work on behalf of nobody, as while this module is loaded. */
const forNobody = AsyncLocalStorage.snapshot();

/**
 * From now on the questions of `db` may share a statement with those of `other`, which is the same
 * database by another pool.
 */
export function shareQuestions(db: Database, other: Database): void {
  const circle = circles.get(other) ?? { asked: [], led: new Map() };
  circles.set(other, circle);
  circles.set(db, circle);
}

/**
 * Asks a question. Where pools share their questions, those of one turn of the event loop share a
 * statement. If that fails or takes long, each is asked by itself. So no question has the failure
 * of another one.
 * @returns the value as the driver has it, with `statement`'s types; null where there is no row
 * @throws Fault `database_unavailable`
 */
export function ask(db: Database, question: Question): Promise<unknown> {
  const circle = circles.get(db);
  if (circle === undefined) return askAlone(db, question);
  return new Promise((resolve, reject) => {
    // Timers of one moment, and all that follows from them, come before an immediate. The statement
    // is nobody's: in the turns of whoever asked first, the others would wait for that one's work.
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
 * The pools take turns, so that each keeps a session open and notices one that has fallen silent.
 * Nobody waits for a session, or opens one, while another pool has one free.
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

/** One statement, whose row has the answer of each question under its place. */
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
