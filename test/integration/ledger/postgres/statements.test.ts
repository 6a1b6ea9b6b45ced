import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { prepared as marked, preparedByIndex } from "../../../../src/ledger/postgres/statement.ts";
import { type Statements, statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import {
  inTransaction,
  inTransactionByIndex,
} from "../../../../src/ledger/postgres/transaction.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { overTcp } from "../../../support/ledger/databases.ts";
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

test("a statement that nobody waits for is written with the others, or nothing is", async () => {
  await inTransaction(ledger.db, async (tx) => {
    tx.$sendRaw`INSERT INTO kept VALUES (${8})`;
    tx.$sendRaw`DELETE FROM kept WHERE n = ${8}`;
    tx.$sendRaw`INSERT INTO kept VALUES (${9})`;
  });
  expect(await kept()).toEqual([1, 2, 9]);
  const twice = inTransaction(ledger.db, async (tx) => {
    tx.$sendRaw`INSERT INTO kept VALUES (${10})`;
    tx.$sendRaw`INSERT INTO kept VALUES (${9})`;
  });
  await expect(twice).rejects.toMatchObject({ code: "23505" });
  // The later statements fail too, and the first failure is the one that says why.
  const goesOn = inTransaction(ledger.db, async (tx) => {
    tx.$sendRaw`INSERT INTO kept VALUES (${9})`;
    await tx.$executeRaw`INSERT INTO kept VALUES (${10})`;
  });
  await expect(goesOn).rejects.toMatchObject({ code: "23505" });
  expect(await kept()).toEqual([1, 2, 9]);
  await ledger.db.$executeRaw`DELETE FROM kept WHERE n = 9`;
});

test("nothing is committed where the driver refuses a value, or a step goes on after a failure", async () => {
  const refused = inTransaction(ledger.db, async (tx) => {
    tx.$sendRaw`INSERT INTO kept VALUES (${8})`;
    tx.$sendRaw`INSERT INTO kept SELECT 9 WHERE ${{ amount: 1n }}::jsonb IS NOT NULL`;
  });
  await expect(refused).rejects.toThrow("BigInt");
  const swallowed = inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`INSERT INTO kept VALUES (${8})`;
    await tx.$executeRaw`INSERT INTO kept VALUES (${1})`.catch(() => 0);
  });
  await expect(swallowed).rejects.toMatchObject({ code: "23505" });
  expect(await kept()).toEqual([1, 2]);
});

test("two branches that wait for each other's statements fail as the first that failed", async () => {
  const failed = inTransaction(ledger.db, async (tx) => {
    const deep = async () => {
      await tx.$executeRaw`INSERT INTO kept VALUES (${1})`;
    };
    const outer = async () => await deep();
    await Promise.all([outer(), tx.$executeRaw`INSERT INTO kept VALUES (${8})`]);
  });
  await expect(failed).rejects.toMatchObject({ code: "23505" });
  expect(await kept()).toEqual([1, 2]);
});

test("a statement is refused that comes after the end of its transaction", async () => {
  const late = inTransaction(ledger.db, async (tx) => {
    expect(await tx.$lastRaw`INSERT INTO kept VALUES (${8}) RETURNING n`).toEqual([{ n: 8 }]);
    // Another connection sees it: it is committed.
    expect(await kept()).toEqual([1, 2, 8]);
    await tx.$executeRaw`INSERT INTO kept VALUES (${9})`;
  });
  await expect(late).rejects.toMatchObject({ code: "invariant_broken" });

  let branch = async () => 0;
  const abandoned = inTransaction(ledger.db, async (tx) => {
    branch = () => tx.$executeRaw`INSERT INTO kept VALUES (${10})`;
    await tx.$executeRaw`INSERT INTO kept VALUES (${1})`;
  });
  await expect(abandoned).rejects.toMatchObject({ code: "23505" });
  await expect(branch()).rejects.toMatchObject({ code: "invariant_broken" });
  expect(await kept()).toEqual([1, 2, 8]);
  await ledger.db.$executeRaw`DELETE FROM kept WHERE n = 8`;
});

test("a lock goes with the begin, and a failed last statement undoes everything", async () => {
  const failed = inTransaction(ledger.db, async (tx) => {
    expect(await tx.$lockRaw`SELECT n FROM kept WHERE n = ${1} FOR UPDATE`).toEqual([{ n: 1 }]);
    const [{ xact }] = await tx.$queryRaw<[{ xact: boolean }]>`
      SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS xact`;
    // The lock belongs to the transaction.
    expect(xact).toBe(true);
    tx.$sendRaw`INSERT INTO kept VALUES (${11})`;
    await tx.$lastRaw`INSERT INTO kept VALUES (${1})`;
  });
  await expect(failed).rejects.toMatchObject({ code: "23505" });
  expect(await kept()).toEqual([1, 2]);
});

test("a read behind a lock that waits sees what the holder has written", async () => {
  let read: Promise<{ n: number }[]> | null = null;
  const waitsForLock = () =>
    ledger.db
      .$queryRaw`SELECT 1 AS waits FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  await inTransaction(ledger.db, async (tx) => {
    await tx.$lockRaw`SELECT pg_advisory_xact_lock(${77})`;
    read = inTransaction(ledger.db, async (later) => {
      const locking = later.$lockRaw`SELECT pg_advisory_xact_lock(${77})`;
      const [, rows] = await Promise.all([
        locking,
        later.$lockRaw<{ n: number }[]>`SELECT n FROM kept WHERE n = ${12}`,
      ]);
      return rows;
    });
    const what = "the second transaction to wait";
    await waitToEqual(waitsForLock, [{ waits: 1 }], { what, timeoutMs: 20_000 });
    await tx.$executeRaw`INSERT INTO kept VALUES (${12})`;
  });
  expect(await read).toEqual([{ n: 12 }]);
  await ledger.db.$executeRaw`DELETE FROM kept WHERE n = 12`;
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
  const url = overTcp(ledger.url);
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

test("a statement that is prepared by index keeps a plan only where no table may be read whole", async () => {
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  onTestFinished(() => db.$disconnect());
  const plans = () =>
    statementsOf(db).$queryRaw`
      SELECT statement LIKE '%(SELECT $1::int[])%' AS "hidesSize" FROM pg_prepared_statements`;
  const ask = ({ $queryRaw }: Statements) =>
    $queryRaw`${preparedByIndex} SELECT n FROM kept WHERE n = ANY(${[1]}::int[])`;
  expect(await ask(statementsOf(db))).toEqual([{ n: 1 }]);
  expect(await inTransaction(db, ask)).toEqual([{ n: 1 }]);
  expect(await plans()).toEqual([]);
  expect(await inTransactionByIndex(db, ask)).toEqual([{ n: 1 }]);
  expect(await plans()).toEqual([{ hidesSize: true }]);
});

test("the checks of foreign keys keep their plans: planned each time they cost most of a commit", async () => {
  expect(await statementsOf(ledger.db).$queryRaw`SHOW plan_cache_mode`).toEqual([
    { plan_cache_mode: "auto" },
  ]);
});
