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

/** Makes the runner that a transaction and a single statement have in common. */
export function runningOn(
  run: (query: pg.QueryConfig<unknown[]>) => Promise<pg.QueryResult>,
): Statements {
  const runTemplate = (strings: TemplateStringsArray, values: unknown[]) => {
    // A part of a statement may stand among the values.
    return run(statement(Prisma.sql(strings, ...values)));
  };
  return {
    $queryRaw: async <Rows>(strings: TemplateStringsArray, ...values: unknown[]) =>
      (await runTemplate(strings, values)).rows as Rows,
    $executeRaw: async (strings, ...values) => (await runTemplate(strings, values)).rowCount ?? 0,
  };
}
