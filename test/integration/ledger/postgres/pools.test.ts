import { expect, it, onTestFinished } from "vitest";
import { openPool } from "../../../../src/app/environment/pools.ts";
import { defaultRateLimit } from "../../../../src/domain/business/rate-limit.ts";
import type { Database } from "../../../../src/ledger/postgres/database.ts";
import { modelsOf } from "../../../../src/ledger/postgres/models.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import {
  doWork,
  isLeft,
  type Owner,
  onBehalfOf,
  type Work,
  workOf,
} from "../../../../src/runtime/on-behalf.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();

const business = (name: string): Owner => ({ kind: "business", name });
const operator = (name: string): Owner => ({ kind: "operator", name });

function openApiPool(): Database {
  const config = { databaseUrl: ledger.url, rateLimit: defaultRateLimit };
  const { db, service } = openPool({ db: ledger.db, config }, "api");
  onTestFinished(() => service.stop());
  return db;
}

/** The sessions of the database that wait for a lock. */
async function countWaiting(): Promise<number> {
  const [row] = await statementsOf(ledger.db).$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return row?.count ?? 0;
}

const waitForWaiting = (count: number) =>
  waitFor(async () => (await countWaiting()) === count, {
    what: `${count} that wait for the lock`,
    timeoutMs: 10_000,
  });

/** Asks ten times in each of three ways, of a table that somebody has locked. */
function ask(db: Database, owner: Owner): Promise<unknown>[] {
  const once = () => [
    statementsOf(db).$queryRaw`SELECT count(*) FROM chain`,
    modelsOf(db).chain.count(),
    inTransaction(db, (tx) => tx.chain.count()),
  ];
  return Array.from({ length: 10 }, () => onBehalfOf(owner, once)).flat();
}

/** Locks the table meanwhile. */
function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  return inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`LOCK TABLE chain`;
    return work();
  });
}

const short = (db: Database) => statementsOf(db).$queryRaw`SELECT 1`;

it("one business's work holds two connections of the API, and another one finds the others free", async () => {
  const db = openApiPool();
  const asked = await whileLocked(async () => {
    const ofOne = ask(db, business("one"));
    await waitForWaiting(2);
    await onBehalfOf(business("another"), () => short(db));
    await onBehalfOf(business("another"), () => modelsOf(db).business.count());
    expect(await countWaiting()).toBe(2);
    return ofOne;
  });
  expect(await Promise.all(asked)).toHaveLength(30);
});

it("a lookup that belongs to nobody never waits for the work of businesses and operators", async () => {
  const db = openApiPool();
  const asked = await whileLocked(async () => {
    const ofAll = [
      ...["one", "two", "three", "four", "five"].map(business),
      ...["one", "two"].map(operator),
    ].flatMap((owner) => ask(db, owner));
    await waitForWaiting(4);
    for (let lookups = 0; lookups < 10; lookups += 1) await short(db);
    expect(await countWaiting()).toBe(4);
    return ofAll;
  });
  expect(await Promise.all(asked)).toHaveLength(210);
});

it("operators have turns by person, and leave a connection to the businesses", async () => {
  const db = openApiPool();
  const asked = await whileLocked(async () => {
    const ofOperators = ask(db, operator("one"));
    await waitForWaiting(2);
    ofOperators.push(...ask(db, operator("two")), ...ask(db, operator("three")));
    await waitForWaiting(3);
    await onBehalfOf(business("one"), () => short(db));
    expect(await countWaiting()).toBe(3);
    return ofOperators;
  });
  expect(await Promise.all(asked)).toHaveLength(90);
});

const readChains = (db: Database, work: Work) =>
  doWork(work, () => statementsOf(db).$queryRaw`SELECT name FROM chain`);

it("a business's requests are done one after the other, however many turns each takes", async () => {
  const db = openApiPool();
  const done: string[] = [];
  const readTwice = async (work: Work, index: number) => {
    for (const turn of ["first", "second"]) {
      await doWork(work, () => short(db));
      done.push(`${turn} of ${index}`);
    }
  };
  const held = await whileLocked(async () => {
    // Holds one of the business's two connections. On two, the system decides which is faster.
    const blocked = readChains(db, workOf(business("one")));
    await waitForWaiting(1);
    await Promise.all(Array.from({ length: 10 }, () => workOf(business("one"))).map(readTwice));
    return [blocked];
  });
  await Promise.all(held);
  // One more may begin while another one asks for its second turn.
  for (let index = 0; index < 8; index += 1)
    expect(done.indexOf(`second of ${index}`)).toBeLessThan(done.indexOf(`first of ${index + 2}`));
});

it("a request that nobody wants any more takes no connection, unless it has had a turn", async () => {
  const db = openApiPool();
  const one = workOf(business("one"));
  const others = Array.from({ length: 3 }, () => workOf(business("one")));
  const asked = await whileLocked(async () => {
    const first = [readChains(db, one), readChains(db, one)];
    await waitForWaiting(2);
    const rest = others.map((work) => readChains(db, work));
    for (const work of [one, ...others]) work.leave();
    for (const { status, ...said } of await Promise.allSettled(rest)) {
      expect(status).toBe("rejected");
      expect("reason" in said && isLeft(said.reason)).toBe(true);
    }
    return [...first, readChains(db, one)];
  });
  expect(await Promise.all(asked)).toHaveLength(3);
});
