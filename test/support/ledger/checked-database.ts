import { checkLedger } from "../../../src/ledger/evidence/check-ledger.ts";
import { openDatabase } from "./database.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

/**
 * A test's database whose ledger Chainbell alone writes: dropping it checks the ledger first, and
 * fails where it is wrong.
 */
export async function createCheckedDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  return {
    url: database.url,
    async drop() {
      const db = openDatabase({ databaseUrl: database.url, poolSize: 1 });
      const { findings } = await checkLedger(db).finally(() => db.$disconnect());
      await database.drop();
      if (findings.length === 0) return;
      const found = findings.map((finding) => Object.values(finding).join(" "));
      throw new Error(`The ledger's check found: ${found.join("; ")}`);
    },
  };
}
