import { clientsOf } from "../../../src/ledger/postgres/database.ts";
import { type Database, openDatabase } from "./database.ts";
import { emptyDatabase } from "./emptiable.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

/** A database and connections to it, which tests use one after another. */
type Kept = { db: Database; database: TestDatabase };

/** Those that no test uses now, all empty. Each worker has its own. */
const kept: Kept[] = [];

const poolSize = 10;

/**
 * A database with the whole schema and no rows, and a pool of ten connections to it. `stop` empties
 * it for another test of this worker, where it can: see `emptyDatabase`. Opening connections anew
 * takes longer than most tests.
 */
export async function openKeptDatabase(): Promise<{
  db: Database;
  url: string;
  /** Safe to repeat. */
  stop: () => Promise<void>;
}> {
  const one = kept.pop() ?? (await openAnother());
  let isStopped = false;
  return {
    db: one.db,
    url: one.database.url,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      if (await emptyDatabase(clientsOf(one.db).pool)) {
        kept.push(one);
        return;
      }
      await one.db.$disconnect();
      await one.database.drop();
    },
  };
}

async function openAnother(): Promise<Kept> {
  const database = await createTestDatabase();
  return { database, db: openDatabase({ databaseUrl: database.url, poolSize }) };
}
