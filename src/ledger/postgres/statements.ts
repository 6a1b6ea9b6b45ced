import type pg from "pg";
import { Prisma } from "../generated/client.ts";
import { type Database, isUnreachable, poolOf, reaching } from "./database.ts";
import { statement } from "./statement.ts";

/**
 * What runs statements that are written as templates. A transaction of Prisma's is one, so what takes this runs in
 * either. Rows have the values of `statement`: cast numeric to text.
 */
export type Statements = {
  $queryRaw: <Rows>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Rows>;
  /** Resolves with how many rows were written. */
  $executeRaw: (strings: TemplateStringsArray, ...values: unknown[]) => Promise<number>;
};

/**
 * For the statements that each block and each delivery cost, and for no others: beside Prisma, on the same
 * connections. A short statement takes less than half of the time that it takes through Prisma.
 */
export function statementsOf(db: Database): Statements {
  const pool = poolOf(db);
  return runningOn((query) => reaching(() => pool.query(query)));
}

/** As inTransaction, beside Prisma: READ COMMITTED, all or nothing. */
export function inStatements<T>(db: Database, work: (tx: Statements) => Promise<T>): Promise<T> {
  return inOne(db, "BEGIN", work);
}

/**
 * As inStatements, and a table is read as a whole only where no index serves. For statements that find few rows among many: in
 * a database without statistics, as a new or a restored one is, the planner takes nearly every row for one of them. Nothing is
 * compiled for them: before PostgreSQL 18 a whole read that cannot be avoided counts as so dear that each would be, for two seconds.
 */
export function inStatementsByIndex<T>(
  db: Database,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  return inOne(db, "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL jit = off", work);
}

function inOne<T>(db: Database, begin: string, work: (tx: Statements) => Promise<T>): Promise<T> {
  return reaching(async () => {
    const client = await poolOf(db).connect();
    // The pool listens only to clients at rest, and an error that nobody hears ends the process. The next statement says it.
    client.on("error", ignore);
    try {
      await client.query(begin);
      const result = await work(runningOn((query) => client.query(query)));
      await client.query("COMMIT");
      release(client);
      return result;
    } catch (error) {
      await giveBack(client, error);
      throw error;
    }
  });
}

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

function runningOn(run: (query: pg.QueryConfig<unknown[]>) => Promise<pg.QueryResult>): Statements {
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
