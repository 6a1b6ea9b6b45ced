import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { shareLease, takeLease } from "../../../../src/ledger/chain/lease.ts";
import { reportDispatcher } from "../../../../src/ledger/deliveries/heartbeats.ts";
import { readPending } from "../../../../src/ledger/deliveries/read-pending.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { readLiveness } from "../../../../src/ledger/installation/read-liveness.ts";
import { readWaitingWork } from "../../../../src/ledger/installation/waiting-work.ts";
import {
  ask,
  type Question,
  shareQuestions,
} from "../../../../src/ledger/postgres/shared-statement.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { onBehalfOf, ownerOfWork } from "../../../../src/runtime/on-behalf.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";

const ledger = eachTestLedger();
let other: Database;

beforeEach(() => {
  other = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
});
afterEach(() => other.$disconnect());

/** Two statements never have the same transaction's time in one session, nor the same process. */
const which: Question = {
  name: "which",
  answer: () => Prisma.sql`SELECT pg_backend_pid() || ' ' || extract(epoch FROM now())`,
};

const share = () => shareQuestions(other, ledger.db);

async function holdLock() {
  let release = () => {};
  const isOver = new Promise<void>((resolve) => {
    release = resolve;
  });
  let began = () => {};
  const isHeld = new Promise<void>((resolve) => {
    began = resolve;
  });
  const holder = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  const holding = holder.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(1)::text`;
    began();
    await isOver;
  });
  await isHeld;
  return {
    async release() {
      release();
      await holding;
      await holder.$disconnect();
    },
  };
}

test("what is asked in one turn shares a statement, by whichever pools", async () => {
  share();
  const [one, two] = await Promise.all([ask(ledger.db, which), ask(other, which)]);
  expect(one).toBe(two);
  expect(await ask(ledger.db, which)).not.toBe(one);
});

test("pools that share nothing ask by themselves", async () => {
  const [one, two] = await Promise.all([ask(ledger.db, which), ask(other, which)]);
  expect(one).not.toBe(two);
});

test("waits in no turn of whoever asked first", async () => {
  share();
  const owners: unknown[] = [];
  const turn = async () => {
    owners.push(ownerOfWork());
    return () => {};
  };
  const inTurn = openDatabase({ databaseUrl: ledger.url, poolSize: 1, turn });
  shareQuestions(inTurn, ledger.db);
  try {
    const first = onBehalfOf({ kind: "business", name: "a" }, () => ask(inTurn, which));
    const [one, two] = await Promise.all([first, ask(inTurn, which)]);
    expect([one === two, owners]).toEqual([true, [null]]);
  } finally {
    await inTurn.$disconnect();
  }
});

test("pools take turns, so that none closes its session", async () => {
  share();
  await ask(other, which);
  const pids = new Set<string>();
  for (const _ of [1, 2, 3, 4]) {
    const [both] = await Promise.all([ask(ledger.db, which), ask(other, which)]);
    pids.add(String(both).split(" ")[0] ?? "");
  }
  expect(pids.size).toBe(2);
});

test("a session that does not answer delays no other pool's question for long", async () => {
  share();
  const held = await holdLock();
  const locked: Question = {
    name: "behind a lock",
    answer: () => Prisma.sql`SELECT pg_advisory_xact_lock(1)::text`,
  };
  const behind = ask(other, locked);
  const answer = await ask(ledger.db, which);
  expect(answer).not.toBeNull();
  await held.release();
  expect(await behind).toBe("");
});

test("a question that fails takes no other one with it", async () => {
  share();
  const wrong: Question = { name: "a wrong one", answer: () => Prisma.sql`SELECT 1 / 0` };
  const [failed, answered] = await Promise.allSettled([ask(other, wrong), ask(ledger.db, which)]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "division by zero" } });
  expect(answered.status).toBe("fulfilled");
});

test("a writing question of a statement that fails is written once", async () => {
  share();
  const { $executeRaw, $queryRaw } = statementsOf(ledger.db);
  await $executeRaw`CREATE TABLE written (id int)`;
  const write: Question = {
    name: "write",
    writes: [Prisma.sql`INSERT INTO written VALUES (1) RETURNING id`],
    answer: (rows) => Prisma.sql`SELECT id FROM ${rows}`,
  };
  const wrong: Question = { name: "a wrong one", answer: () => Prisma.sql`SELECT 1 / 0` };
  const [written] = await Promise.allSettled([ask(ledger.db, write), ask(other, wrong)]);
  expect(written).toEqual({ status: "fulfilled", value: 1 });
  expect(await $queryRaw`SELECT id FROM written`).toEqual([{ id: 1 }]);
});

test("leases, reports and looks of a process have their own answers in one statement", async () => {
  share();
  const [holder, id] = [randomUUID(), randomUUID()];
  const lease = (name: string) => ({ name: `watcher:${name}`, holder, ttlMs: 60_000 });
  await takeLease(ledger.db, { ...lease("taken"), holder: randomUUID() });
  const [isMine, isTaken, , work, pending, before] = await Promise.all([
    shareLease(ledger.db, lease("mine")),
    shareLease(ledger.db, lease("taken")),
    reportDispatcher(other, { id, slots: 5 }),
    readWaitingWork(ledger.db),
    readPending(other),
    readLiveness(ledger.db),
  ]);
  expect([isMine, isTaken]).toEqual([true, false]);
  expect(work).toEqual({ audit: false, deliveries: false });
  expect(pending).toEqual({ isWaiting: false, isClaimed: false });
  expect(before).toMatchObject({ watched: ["taken"], dispatchers: 0 });
  const after = await readLiveness(ledger.db);
  expect(after.watched.toSorted()).toEqual(["mine", "taken"]);
  expect(after.dispatchers).toBe(1);
});

test("many processes that report and ask for the same leases at once do not fail each other", async () => {
  const processes = Array.from({ length: 6 }, () => {
    const pools = [1, 2].map(() => openDatabase({ databaseUrl: ledger.url, poolSize: 1 }));
    const [a = other, b = other] = pools;
    shareQuestions(a, b);
    return { a, b, holder: randomUUID() };
  });
  const names = ["a", "b", "c", "d"].map((name) => `watcher:${name}`);
  for (const turn of [1, 2, 3]) {
    const held = await Promise.all(
      processes.map(({ a, b, holder }, place) => {
        const inOrder = place % 2 === 0 ? names : names.toReversed();
        const leases = inOrder.map((name) => shareLease(b, { name, holder, ttlMs: 60_000 }));
        return Promise.all([...leases, reportDispatcher(a, { id: holder, slots: turn })]);
      }),
    );
    expect(held.flat().filter((isHeld) => isHeld === true)).toHaveLength(names.length);
  }
  await Promise.all(processes.flatMap(({ a, b }) => [a.$disconnect(), b.$disconnect()]));
});

test("is out of reach for all who ask where the database is", async () => {
  const databaseUrl = "postgres://nobody@127.0.0.1:1/nothing";
  const [a, b] = [1, 2].map(() => openDatabase({ databaseUrl, poolSize: 1 }));
  if (a === undefined || b === undefined) throw new Error("two");
  shareQuestions(a, b);
  const answers = await Promise.allSettled([ask(a, which), ask(b, which)]);
  const outOfReach = { status: "rejected", reason: { code: "database_unavailable" } };
  expect(answers).toMatchObject([outOfReach, outOfReach]);
  await Promise.all([a.$disconnect(), b.$disconnect()]);
});
