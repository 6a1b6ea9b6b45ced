import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { prepared as marked } from "../../../../src/ledger/postgres/statement.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { openTestLedger, type TestLedger } from "../../../support/ledger/ledger-fixtures.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { waitToEqual } from "../../../support/wait-to-equal.ts";

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openTestLedger();
  await ledger.db.$executeRaw`CREATE TABLE kept (n int PRIMARY KEY)`;
});

afterAll(() => ledger.stop());

const kept = async () =>
  (await ledger.db.$queryRaw<{ n: number }[]>`SELECT n FROM kept ORDER BY n`).map(({ n }) => n);

test("all of a transaction is written, or nothing of it", async () => {
  await inTransaction(ledger.db, async (tx) => {
    expect(await tx.$executeRaw`INSERT INTO kept SELECT generate_series(1, ${2}::int)`).toBe(2);
    expect(await tx.$queryRaw`SELECT count(*)::int AS n FROM kept`).toEqual([{ n: 2 }]);
  });
  const broken = inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`INSERT INTO kept VALUES (${3})`;
    await tx.$executeRaw`INSERT INTO kept VALUES (${1})`;
  });
  await expect(broken).rejects.toMatchObject({ code: "23505" });
  const thrown = inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`INSERT INTO kept VALUES (${3})`;
    throw new Error("thought better of it");
  });
  await expect(thrown).rejects.toThrow("thought better of it");
  expect(await kept()).toEqual([1, 2]);
});

test("a connection that ends between two statements costs its transaction, and no more", async () => {
  const ended = inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`INSERT INTO kept VALUES (${6})`;
    const [mine] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    await ledger.db.$executeRaw`SELECT pg_terminate_backend(${mine?.pid}::int)`;
    await waitToEqual(
      () => ledger.db.$queryRaw`SELECT 1 FROM pg_stat_activity WHERE pid = ${mine?.pid}::int`,
      [],
      { what: "the end of the connection", timeoutMs: 20_000 },
    );
    await tx.$executeRaw`INSERT INTO kept VALUES (${7})`;
  });
  await expect(ended).rejects.toMatchObject({ code: "database_unavailable" });
  expect(await kept()).toEqual([1, 2]);
  expect(await statementsOf(ledger.db).$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});

test("a connection that falls silent is given up, and another one made", async () => {
  const url = new URL(ledger.url);
  const proxy = await startTcpProxy(Number(url.port));
  onTestFinished(() => proxy.stop());
  url.port = String(proxy.port);
  url.searchParams.set("query_timeout", "500");
  const db = openDatabase({ databaseUrl: url.href, poolSize: 1 });
  onTestFinished(() => db.$disconnect());
  const one = () => statementsOf(db).$queryRaw`SELECT 1 AS one`;

  expect(await one()).toEqual([{ one: 1 }]);
  const silenced = inTransaction(db, async (tx) => {
    await tx.$executeRaw`INSERT INTO kept VALUES (${4})`;
    proxy.silence();
    await tx.$executeRaw`INSERT INTO kept VALUES (${5})`;
  });
  await expect(silenced).rejects.toMatchObject({ code: "database_unavailable" });
  expect(await one()).toEqual([{ one: 1 }]);

  proxy.silence();
  await expect(one()).rejects.toMatchObject({ code: "database_unavailable" });
  expect(await one()).toEqual([{ one: 1 }]);
  expect(await kept()).toEqual([1, 2]);
});

test("a statement is planned for what is there by then, but for those that are marked as prepared", async () => {
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  onTestFinished(() => db.$disconnect());
  const query = statementsOf(db);
  for (let times = 0; times < 12; times += 1) {
    await query.$queryRaw`SELECT n FROM kept WHERE n = ${times}`;
    await query.$queryRaw`${marked} SELECT n + 1 FROM kept WHERE n = ${times}`;
  }
  expect(
    await query.$queryRaw`
      SELECT statement, generic_plans > 0 AS "hasOnePlan" FROM pg_prepared_statements`,
  ).toEqual([
    { statement: "/* prepared */ SELECT n + 1 FROM kept WHERE n = $1", hasOnePlan: true },
  ]);
});

test("the checks of foreign keys keep their plans: planned each time they cost most of a commit", async () => {
  expect(await statementsOf(ledger.db).$queryRaw`SHOW plan_cache_mode`).toEqual([
    { plan_cache_mode: "auto" },
  ]);
});
