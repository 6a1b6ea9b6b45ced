import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdministration } from "../../../../src/app/operator.ts";
import { newApiKey, recordOfApiKey } from "../../../../src/domain/business/api-key.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { closeDatabase } from "../../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import {
  inSnapshot,
  inTransaction,
  inTransactionByIndex,
} from "../../../../src/ledger/postgres/transaction.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import {
  insertBusiness,
  openTestLedger,
  type TestLedger,
} from "../../../support/ledger/ledger-fixtures.ts";

/** Keys that are made at once: each is a transaction with its place in the audit trail. */
const atOnce = 16;

/** Fewer than that: some of them wait for a connection. */
const connections = 8;

const levels = ["read committed", "repeatable read", "serializable"];

describe.each(levels)("where the database's own default is %s", (level) => {
  let ledger: TestLedger;
  let db: Database;

  beforeAll(async () => {
    ledger = await openTestLedger();
    const name = Prisma.raw(new URL(ledger.url).pathname.slice(1));
    await ledger.db
      .$executeRaw`ALTER DATABASE ${name} SET default_transaction_isolation = ${Prisma.raw(`'${level}'`)}`;
    // New connections have it.
    db = openDatabase({ databaseUrl: ledger.url, poolSize: connections });
    // All are there before anything is measured by how it fails.
    for (let open = 1; open <= connections; open += 1)
      await Promise.all(Array.from({ length: open }, () => statementsOf(db).$queryRaw`SELECT 1`));
  });

  afterAll(async () => {
    await closeDatabase(db);
    await ledger.stop();
  });

  it("changes that are made at once are all made, each on record", async () => {
    const businessId = await insertBusiness(db);
    const by = { name: "test", via: "cli", address: null } as const;
    const { audited } = createAdministration(db, by, null);
    const limits = { scopes: [], networks: [], expiresAt: null, maxWallets: null };
    const make = () =>
      audited("key.create", async (ledger) => {
        const record = recordOfApiKey(newApiKey());
        const key = await ledger.createApiKey({ businessId, label: null, record, limits });
        return { output: key.id, entry: { subject: key.id, details: {} } };
      });
    const ids = await Promise.all(Array.from({ length: atOnce }, make));
    const entries = await db.auditEntry.findMany();
    expect(entries.map(({ subject }) => subject).sort()).toEqual([...ids].sort());
  });

  it("each transaction says its own, and a single statement is read committed", async () => {
    const asked = Prisma.sql`SELECT current_setting('transaction_isolation') AS level`;
    const levelIn = async (tx: ReturnType<typeof statementsOf>) =>
      (await tx.$queryRaw<{ level: string }[]>`${asked}`)[0]?.level;
    expect(await inTransaction(db, levelIn)).toBe("read committed");
    expect(await inTransactionByIndex(db, levelIn)).toBe("read committed");
    expect(await inSnapshot(db, levelIn)).toBe("repeatable read");
    expect(await levelIn(statementsOf(db))).toBe("read committed");
  });
});

describe("a transaction", () => {
  let ledger: TestLedger;

  beforeAll(async () => {
    ledger = await openTestLedger();
    await ledger.db.$executeRaw`CREATE TABLE counted (n int PRIMARY KEY, times int NOT NULL)`;
    await ledger.db.$executeRaw`INSERT INTO counted SELECT n, 0 FROM generate_series(1, 2) n`;
    // Two connections, so that neither side of a deadlock waits for one.
    await Promise.all([1, 2].map(() => ledger.db.$queryRaw`SELECT pg_sleep(0.1)::text`));
  });

  afterAll(() => ledger.stop());

  const times = async () =>
    (await ledger.db.$queryRaw<{ times: number }[]>`SELECT times FROM counted ORDER BY n`).map(
      (row) => row.times,
    );

  it("that waits for another one which waits for it is tried again", async () => {
    let begun = 0;
    const met: (() => void)[] = [];
    const both = () =>
      new Promise<void>((resolve) => {
        met.push(resolve);
        if (met.length === 2) for (const go of met) go();
      });
    const cross = (first: number, second: number) =>
      inTransaction(ledger.db, async (tx) => {
        begun += 1;
        await tx.$executeRaw`UPDATE counted SET times = times + 1 WHERE n = ${first}`;
        if (begun <= 2) await both();
        await tx.$executeRaw`UPDATE counted SET times = times + 1 WHERE n = ${second}`;
      });
    await Promise.all([cross(1, 2), cross(2, 1)]);
    // The one that is tried again may take its first row before the other one wakes: once more then.
    expect(begun).toBeGreaterThanOrEqual(3);
    expect(await times()).toEqual([2, 2]);
  });

  it("that loses against another one each time says so in the end", async () => {
    let tries = 0;
    const lost = inTransaction(ledger.db, async (tx) => {
      tries += 1;
      await tx.$executeRaw`DO $$ BEGIN RAISE serialization_failure; END $$`;
    });
    await expect(lost).rejects.toMatchObject({ code: "40001" });
    expect(tries).toBe(5);
  });

  it("has Prisma's calls and statements on one connection, all of them or none", async () => {
    const businessId = await insertBusiness(ledger.db, "before");
    const rename = (name: string) =>
      inTransaction(ledger.db, async (tx) => {
        await tx.business.update({ where: { id: businessId }, data: { name } });
        const [row] = await tx.$queryRaw<{ name: string }[]>`
          SELECT name FROM business WHERE id = ${businessId}::uuid`;
        await tx.$executeRaw`UPDATE business SET name = name || '!' WHERE id = ${businessId}::uuid`;
        if (name === "refused") throw new Error("thought better of it");
        return [
          row?.name,
          (await tx.business.findUniqueOrThrow({ where: { id: businessId } })).name,
        ];
      });
    await expect(rename("refused")).rejects.toThrow("thought better of it");
    const now = async () => (await ledger.db.business.findFirstOrThrow()).name;
    expect(await now()).toBe("before");
    expect(await rename("after")).toEqual(["after", "after!"]);
    expect(await now()).toBe("after!");
    // What the database refuses undoes all of it, and the connection is as good as before.
    const twice = inTransaction(ledger.db, async (tx) => {
      await tx.business.update({ where: { id: businessId }, data: { name: "twice" } });
      await tx.business.create({ data: { id: businessId, name: "twice" } });
    });
    await expect(twice).rejects.toMatchObject({ code: "P2002" });
    expect(await now()).toBe("after!");
  });
});
