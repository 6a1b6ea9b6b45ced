import type pg from "pg";
import { Prisma } from "../generated/client.ts";
import { clientsOf, type Database } from "./database.ts";
import { reaching } from "./reaching.ts";
import { statement } from "./statement.ts";

/**
 * Runs statements that are written as templates, in a transaction or one by one on a database. Rows
 * have the types of `statement`: cast numeric to text.
 */
export type Statements = {
  $queryRaw: <Rows>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Rows>;
  /** Resolves with the number of rows written. */
  $executeRaw: (strings: TemplateStringsArray, ...values: unknown[]) => Promise<number>;
};

/** Statements of a transaction. Some are sent before earlier ones are answered. */
export type TxStatements = Statements & {
  /**
   * Sends a statement whose result nobody needs. It runs before all that is sent later. If it
   * fails, a later statement or the commit fails.
   */
  $sendRaw: (strings: TemplateStringsArray, ...values: unknown[]) => void;
  /**
   * As `$queryRaw`. If it is the first statement, it is sent together with BEGIN. It may only lock
   * rows, read, take a number of a sequence, or change a setting of the transaction. If BEGIN
   * fails, the statement still runs, outside of a transaction.
   */
  $lockRaw: Statements["$queryRaw"];
  /**
   * As `$queryRaw`, with COMMIT sent right after it. No statement may follow. Resolves once all is
   * committed.
   */
  $lastRaw: Statements["$queryRaw"];
};

/**
 * Runs each statement by itself. It does not use Prisma, whose own work takes longer than a short
 * statement.
 */
export function statementsOf(db: Database): Statements {
  const { pool } = clientsOf(db);
  return runningOn((query) => reaching(() => pool.query(query)));
}

/** The rows of a statement that is given as a value. @throws Fault `database_unavailable` */
export async function readRows<Row>(db: Database, sql: Prisma.Sql): Promise<Row[]> {
  const { pool } = clientsOf(db);
  return (await reaching(() => pool.query(statement(sql)))).rows as Row[];
}

/** As `readRows`, with rows as arrays in the order of the columns. */
export async function readTuples<Tuple extends unknown[]>(
  db: Database,
  sql: Prisma.Sql,
): Promise<Tuple[]> {
  const { pool } = clientsOf(db);
  const query = { ...statement(sql), rowMode: "array" };
  return (await reaching(() => pool.query(query))).rows as Tuple[];
}

/**
 * Makes the functions that a transaction and single statements have in common. A value in a
 * template may itself be a part of a statement.
 * @param isByIndex true in a transaction that uses indexes only
 */
export function runningOn(
  run: (query: pg.QueryConfig<unknown[]>) => Promise<pg.QueryResult>,
  isByIndex = false,
): Statements {
  const runTemplate = (strings: TemplateStringsArray, values: unknown[]) =>
    run(statement(Prisma.sql(strings, ...values), isByIndex));
  return {
    $queryRaw: async <Rows>(strings: TemplateStringsArray, ...values: unknown[]) =>
      (await runTemplate(strings, values)).rows as Rows,
    $executeRaw: async (strings, ...values) => (await runTemplate(strings, values)).rowCount ?? 0,
  };
}
