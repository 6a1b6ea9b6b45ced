import pg from "pg";
import { inject } from "vitest";
import { copyOf, copyTestDatabase, createDatabase, type TestDatabase } from "./databases.ts";
import { emptyDatabase } from "./emptiable.ts";

export type { TestDatabase } from "./databases.ts";

/** Those that no test uses now, all empty and without connections. Each worker has its own. */
const kept: TestDatabase[] = [];

/**
 * A database with the whole schema and no rows, on the server that all tests share. `drop` empties
 * it for another test of this worker, where it can: see `emptyDatabase`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const database = kept.pop() ?? (await copyTestDatabase(inject("postgresAdminUrl")));
  let isDropped = false;
  return {
    url: database.url,
    async drop() {
      if (isDropped) return;
      isDropped = true;
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      // Its end does not wait for the connection's, which may be cut off when the database goes.
      pool.on("error", () => undefined);
      const isEmpty = await emptyDatabase(pool);
      await pool.end();
      if (isEmpty) kept.push(database);
      else await database.drop();
    },
  };
}

/**
 * A copy of a test's database as it is now, to which nobody may be connected: what a restored
 * backup is.
 */
export function restoreTestDatabase(url: string): Promise<TestDatabase> {
  return copyOf(inject("postgresAdminUrl"), url);
}

/** A database with nothing in it, on the same server: what a release of its own migrates. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(inject("postgresAdminUrl"));
}
