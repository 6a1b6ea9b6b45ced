import pg from "pg";
import { onTestFinished } from "vitest";
import { createTestDatabase } from "./postgres.ts";

/** A pool of connections to a business's own database. Both end with the test. */
export async function openOwnPool(max: number): Promise<pg.Pool> {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max });
  // Its end does not wait for the connections' ends. They may be cut off when the database goes.
  pool.on("error", () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return pool;
}
