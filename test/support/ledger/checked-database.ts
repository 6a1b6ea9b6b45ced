import { checkLedger } from "../../../src/ledger/evidence/check-ledger.ts";
import { type Database, openDatabase } from "./database.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

/**
 * A test's database whose ledger and audit trail Chainbell alone writes: dropping it checks the
 * ledger first, and fails where it is wrong, or where a process refused an entry of the trail.
 */
export async function createCheckedDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  return {
    url: database.url,
    async drop() {
      const db = openDatabase({ databaseUrl: database.url, poolSize: 1 });
      const found = await findFaults(db).finally(() => db.$disconnect());
      await database.drop();
      if (found.length > 0) throw new Error(`The ledger's check found: ${found.join("; ")}`);
    },
  };
}

async function findFaults(db: Database): Promise<string[]> {
  const { findings } = await checkLedger(db);
  const refused = await db.auditWaiting.findMany({ where: { refusedAt: { not: null } } });
  return [
    ...findings.map((finding) => Object.values(finding).join(" ")),
    ...refused.map(({ entryId }) => `entry ${entryId} of the audit trail has no right MAC`),
  ];
}
