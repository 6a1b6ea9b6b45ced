import type pg from "pg";
import { Prisma } from "../generated/client.ts";
import { clientsOf, type Database } from "./database.ts";
import { reaching } from "./reaching.ts";
import { statement } from "./statement.ts";

/**
 * A runner of statements that are written as templates: a transaction, or a database one by one.
 * Rows have the values of `statement`: cast numeric to text.
 */
export type Statements = {
  $queryRaw: <Rows>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Rows>;
  /** Resolves with how many rows were written. */
  $executeRaw: (strings: TemplateStringsArray, ...values: unknown[]) => Promise<number>;
};

/** The same of a transaction, where a statement need not wait for the answers before it. */
export type TxStatements = Statements & {
  /**
   * Sends a statement that answers nothing. It takes place before all that is sent after it. Its
   * error is the transaction's: it comes with a later statement, or with the end.
   */
  $sendRaw: (strings: TemplateStringsArray, ...values: unknown[]) => void;
  /**
   * As `$queryRaw`, and sent with the begin of the transaction where nothing was sent before it. It
   * only locks rows, reads, takes a number of a sequence, or sets what is local to the transaction:
   * where the begin fails, it takes place by itself.
   */
  $lockRaw: Statements["$queryRaw"];
  /**
   * As `$queryRaw`, and the end of the transaction is sent behind it: nothing can be sent after
   * that. It answers once everything is committed.
   */
  $lastRaw: Statements["$queryRaw"];
};

/**
 * Each statement by itself. It goes past Prisma, whose work around a short statement takes longer
 * than the statement.
 */
export function statementsOf(db: Database): Statements {
  const { pool } = clientsOf(db);
  return runningOn((query) => reaching(() => pool.query(query)));
}

/** The rows of a statement that is a value. @throws Fault `database_unavailable` */
export async function readRows<Row>(db: Database, sql: Prisma.Sql): Promise<Row[]> {
  const { pool } = clientsOf(db);
  return (await reaching(() => pool.query(statement(sql)))).rows as Row[];
}

/** A statement that is written as a template. A part of one may stand among the values. */
export function statementIn(
  strings: TemplateStringsArray,
  values: unknown[],
): pg.QueryConfig<unknown[]> {
  return statement(Prisma.sql(strings, ...values));
}

/** Makes the runner that a transaction and a single statement have in common. */
export function runningOn(
  run: (query: pg.QueryConfig<unknown[]>) => Promise<pg.QueryResult>,
): Statements {
  const runTemplate = (strings: TemplateStringsArray, values: unknown[]) =>
    run(statementIn(strings, values));
  return {
    $queryRaw: async <Rows>(strings: TemplateStringsArray, ...values: unknown[]) =>
      (await runTemplate(strings, values)).rows as Rows,
    $executeRaw: async (strings, ...values) => (await runTemplate(strings, values)).rowCount ?? 0,
  };
}
