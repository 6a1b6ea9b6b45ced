import pg from "pg";
import { expect, it } from "vitest";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../../../src/ledger/deliveries/claim-memory.ts";
import { giveBackClaim } from "../../../../src/ledger/deliveries/give-back-claim.ts";
import { readDueWebhooks } from "../../../../src/ledger/deliveries/read-claims.ts";
import { readPending } from "../../../../src/ledger/deliveries/read-pending.ts";
import { sweepClaims } from "../../../../src/ledger/deliveries/reclaim.ts";
import { closeDatabase } from "../../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { eachTest } from "../../../support/each-test.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

const deliverClaimed = `UPDATE delivery SET status = 'delivered', claim_token = NULL, claim_expires_at = NULL
  WHERE claim_token IS NOT NULL`;

/** A connection whose transactions the test begins and ends. */
async function connect(): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** The same memory for every claim, as a relay has it. */
function relay(db = ledger.db, direct = 0) {
  const memory = emptyMemory();
  const claim = async () =>
    (await claimDeliveries(db, { ...limits, direct }, memory)).reduce(
      (n, one) => n + one.deliveries,
      0,
    );
  return { memory, claim };
}

it("finds what was written before something that it has already claimed", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  const { claim } = relay();
  await ledger.addDeliveries(webhook, { count: 1 });
  expect(await claim()).toBe(1);
  await using slow = await connect();
  await slow.query("BEGIN");
  await slow.query(`INSERT INTO delivery (id, notification_id, business_id, webhook_id)
    SELECT gen_random_uuid(), notification_id, business_id, webhook_id FROM delivery`);
  for (let round = 0; round < 3; round += 1) {
    await ledger.addDeliveries(webhook, { count: 1 });
    expect(await claim()).toBe(1);
    await ledger.sql(deliverClaimed);
  }
  await slow.query("COMMIT");
  expect(await claim()).toBe(1);
  expect(await claim()).toBe(0);
});

it("finds what another process gives back, frees or brings forward, in the ledger's order", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/", inFlight: 2 });
  const ids = await ledger.addDeliveries(webhook, { count: 6 });
  const [retry] = await ledger.addDeliveries(webhook, { count: 1, attempts: 1, dueInMs: 60_000 });
  const { memory, claim } = relay();
  const claimed = async () =>
    (await ledger.deliveries()).flatMap((one) => (one.claim_token === null ? [] : [one]));
  expect(await claim()).toBe(2);
  await giveBackClaim(ledger.db, { tokens: (await claimed()).map((one) => one.claim_token ?? "") });
  expect(await claim()).toBe(2);
  expect((await claimed()).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  await ledger.sql(
    "UPDATE delivery SET claim_expires_at = now() - interval '1 second' WHERE claim_token IS NOT NULL",
  );
  const sweep = { schedule: [0], random: () => 0, limit: 10 };
  expect(await sweepClaims(ledger.db, sweep, memory)).toEqual({ freed: 2, postponed: 0 });
  for (const expected of [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 6)]) {
    expect(await claim()).toBe(2);
    expect((await claimed()).map(({ id }) => id)).toEqual(expected);
    await ledger.sql(deliverClaimed);
  }
  expect(await claim()).toBe(0);
  await ledger.sql("UPDATE delivery SET due_at = now() WHERE id = $1", [retry]);
  expect(await claim()).toBe(1);
  await ledger.sql(deliverClaimed);
  expect(await claim()).toBe(0);
  expect(await readPending(ledger.db, memory)).toEqual({ isWaiting: false, isClaimed: false });
});

it("looks at everything again where the database is one of an earlier time", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 3 });
  const { claim } = relay();
  expect(await claim()).toBe(3);
  await ledger.sql("SELECT setval('claim_order', 1), setval('due_delivery_position_seq', 1)");
  await ledger.sql("UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL");
  expect(await claim()).toBe(3);
});

it("finds within seconds what a crash of the server has made due again", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 3 });
  const { memory, claim } = relay();
  expect(await claim()).toBe(3);
  await ledger.sql(deliverClaimed);
  expect(await claim()).toBe(0);
  // The claim is undone where nobody saw it: in a row with the place and position it had.
  const lost = await ledger.sql<{ id: string }>("SELECT id FROM delivery ORDER BY seq LIMIT 1");
  await ledger.sql("UPDATE delivery SET status = 'waiting' WHERE id = $1", [lost[0]?.id]);
  await ledger.sql("UPDATE due_delivery SET position = 1");
  expect(await claim()).toBe(0);
  const nothing = { isWaiting: false, isClaimed: false };
  expect(await readPending(ledger.db, memory)).toEqual(nothing);
  memory.sinceMs = (memory.sinceMs ?? 0) - 15_000;
  // A relay that has nothing to do asks only this.
  expect(await readPending(ledger.db, memory)).toMatchObject({ isWaiting: true });
  expect(await claim()).toBe(1);
});

it("frees within seconds an expired claim that a failover has brought back", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1 });
  const { memory, claim } = relay();
  expect(await claim()).toBe(1);
  const [claimed] = await ledger.deliveries();
  await ledger.sql(deliverClaimed);
  expect(await claim()).toBe(0);
  // The standby had the claim, and lacked the record of the attempt.
  await ledger.sql(
    `UPDATE delivery SET status = 'waiting', claim_token = $1, claim_expires_at = now() - interval '1 second'`,
    [claimed?.claim_token],
  );
  const nothing = { isWaiting: false, isClaimed: false };
  expect(await readPending(ledger.db, memory)).toEqual(nothing);
  memory.sinceMs = (memory.sinceMs ?? 0) - 15_000;
  expect(await readPending(ledger.db, memory)).toMatchObject({ isClaimed: true });
  const sweep = { schedule: [0], random: () => 0, limit: 10 };
  expect(await sweepClaims(ledger.db, sweep, memory)).toEqual({ freed: 1, postponed: 0 });
});

it("finds at once what has a lower position than before, as a failover took the newest back", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 3 });
  const { claim } = relay();
  expect(await claim()).toBe(3);
  await ledger.sql(deliverClaimed);
  expect(await claim()).toBe(0);
  await ledger.sql("SELECT setval('due_delivery_position_seq', 1)");
  await ledger.addDeliveries(webhook, { count: 1 });
  expect(await claim()).toBe(1);
});

it("begins its memory anew once a look at everything has found nothing", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDispatcher(100);
  await ledger.addDeliveries(webhook, { count: 1 });
  const { memory, claim } = relay();
  expect(await claim()).toBe(1);
  await ledger.sql(deliverClaimed);
  expect(await claim()).toBe(0);
  const { position, sinceMs } = memory;
  memory.sinceMs = (sinceMs ?? 0) - 15_000;
  expect(await readPending(ledger.db, memory)).toEqual({ isWaiting: false, isClaimed: false });
  expect(memory.position).toBe(position);
  expect(memory.sinceMs).toBeGreaterThanOrEqual(sinceMs ?? 0);
});

it.each([0, 10])("reads no more under an old snapshot (%d begin at once)", async (direct) => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  // One connection, whose reads are counted once it has said them.
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  await using _closing = { [Symbol.asyncDispose]: () => db.$disconnect() };
  const { $queryRaw } = statementsOf(db);
  const { claim } = relay(db, direct);
  const read = async () => {
    await $queryRaw`SELECT pg_stat_force_next_flush()`;
    const [row] = await $queryRaw<{ n: number }[]>`
      SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int AS n
      FROM pg_statio_user_tables WHERE relname IN ('delivery', 'due_delivery', 'webhook', 'webhook_turn')`;
    return row?.n ?? 0;
  };
  await ledger.addDeliveries(webhook, { count: 1 });
  /** Deliveries come and go; answers what the last claim read. */
  async function flow(rounds: number): Promise<number> {
    let last = 0;
    for (let round = 0; round < rounds; round += 1) {
      await ledger.sql(`INSERT INTO delivery (id, notification_id, business_id, webhook_id)
        SELECT gen_random_uuid(), id, business_id, '${webhook.webhookId}' FROM notification, generate_series(1, 10)`);
      await ledger.sql("UPDATE webhook SET mark = mark + 1, answered_at = now()");
      // All rounds together may take longer than a dispatcher is believed that says nothing.
      await ledger.sql("UPDATE dispatcher SET seen_at = now()");
      const before = await read();
      expect(await claim()).toBe(10);
      last = (await read()) - before;
      await ledger.sql(deliverClaimed);
    }
    return last;
  }
  const quiet = await flow(20);
  await using old = await connect();
  await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM business");
  const held = await flow(200);
  expect(quiet).toBeGreaterThan(0);
  expect(held).toBeLessThan(2 * quiet);
});

it("passes over a business whose places are all taken, until one is free", async () => {
  await ledger.addDispatcher(100);
  const first = await ledger.addWebhook({ url: "https://a.example/", inFlight: 2 });
  const other = await ledger.addWebhook({ url: "https://b.example/", inFlight: 2 });
  for (const webhook of [first, other]) await ledger.addDeliveries(webhook, { count: 4 });
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  await using _closing = { [Symbol.asyncDispose]: () => db.$disconnect() };
  const { claim } = relay(db);
  /** The rows of what is due that a claim reads, beside those that are new. */
  async function reads(deliveries: number): Promise<number> {
    const { $queryRaw } = statementsOf(db);
    const read = async () => {
      await $queryRaw`SELECT pg_stat_force_next_flush()::text`;
      const [row] = await $queryRaw<{ n: number }[]>`
        SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_user_tables WHERE relname = 'due_delivery'`;
      return row?.n ?? 0;
    };
    const before = await read();
    expect(await claim()).toBe(deliveries);
    return (await read()) - before;
  }
  expect(await reads(4)).toBeGreaterThan(0);
  expect(await reads(0)).toBe(0);
  await ledger.sql(`UPDATE delivery SET status = 'delivered', claim_token = NULL, claim_expires_at = NULL
    WHERE id = (SELECT id FROM delivery WHERE webhook_id = '${other.webhookId}' AND claim_token IS NOT NULL LIMIT 1)`);
  expect(await reads(1)).toBeGreaterThan(0);
  expect(await reads(0)).toBe(0);
});

it("serves in their turn whichever relay claimed before, with what each remembers", async () => {
  await ledger.addDispatcher(4);
  for (let number = 0; number < 24; number += 1) {
    const webhook = await ledger.addWebhook({ url: "https://a.example/", inFlight: 1 });
    await ledger.addDeliveries(webhook, { count: 12 });
  }
  const relays = [relay(), relay(), relay()];
  const lastClaims = async () => {
    const rows = await ledger.sql<{ id: string; number: bigint }>(
      `SELECT b.id, coalesce(max(t.number), 0) AS number
       FROM business b LEFT JOIN webhook_turn t ON t.business_id = b.id GROUP BY b.id ORDER BY 2`,
    );
    return new Map(rows.map(({ id, number }) => [id, String(number)]));
  };
  // One relay claims several times, then another one. Each has to learn of the others' claims.
  const claiming = [
    0, 1, 1, 1, 0, 2, 2, 2, 2, 2, 2, 2, 1, 0, 0, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 2, 1,
  ];
  for (const at of claiming) {
    const before = await lastClaims();
    await ledger.sql("UPDATE dispatcher SET seen_at = now()");
    expect(await relays[at]?.claim()).toBe(4);
    const served = await ledger.sql<{ id: string }>(
      "SELECT business_id AS id FROM delivery WHERE claim_token IS NOT NULL",
    );
    const oldest = [...before.values()].slice(0, 4);
    expect(served.map(({ id }) => before.get(id)).toSorted()).toEqual(oldest.toSorted());
    await ledger.sql(deliverClaimed);
    await ledger.sql("UPDATE webhook SET answered_at = now()");
  }
});

it("gives nothing to a business whose places were made fewer while the claim reads", async () => {
  const { businessId, webhookId } = await ledger.addWebhook({
    url: "https://a.example/",
    inFlight: 2,
  });
  await ledger.addDeliveries({ businessId, webhookId }, { count: 4 });
  const page = await readDueWebhooks(statementsOf(ledger.db), {
    memory: emptyMemory(),
    progress: { order: 1n, nowMs: Date.now(), position: 0n, writers: [] },
    inFlight: 10,
    // As the claim has read it before: ten places were not full.
    taken: new Map([[businessId, 5]]),
    passed: new Set(),
    most: 8,
  });
  expect(page).toMatchObject({ webhooks: [], businessIds: [businessId] });
});

it("serves a healthy webhook beside one whose requests hang at all places", async () => {
  await ledger.addDispatcher(100);
  const first = await ledger.addWebhook({ url: "https://a.example/", inFlight: 2 });
  const second = await ledger.addAdditionalWebhook(first.businessId, "https://b.example/");
  await ledger.addDeliveries(first, { count: 4 });
  const { claim } = relay();
  expect(await claim()).toBe(2);
  await ledger.addDeliveries(second, { count: 4 });
  expect(await claim()).toBe(0);
  await ledger.sql(
    "UPDATE delivery SET begun_at = now() - interval '10 seconds' WHERE claim_token IS NOT NULL",
  );
  expect(await claim()).toBe(1);
});

it("says by indexes what is pending, in a database without statistics", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 3_000 });
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  const readRows = async () => {
    // The one session says at once what it has read.
    await statementsOf(db).$queryRaw`SELECT pg_stat_force_next_flush()::text`;
    const [read] = await ledger.sql<{ rows: string }>(
      "SELECT sum(seq_tup_read) AS rows FROM pg_stat_user_tables WHERE relname IN ('delivery', 'due_delivery')",
    );
    return Number(read?.rows);
  };
  try {
    expect(await readPending(db)).toEqual({ isWaiting: true, isClaimed: false });
    await ledger.sql("UPDATE delivery SET status = 'delivered'");
    await ledger.sql("SELECT pg_stat_force_next_flush()");
    const before = await readRows();
    expect(await readPending(db)).toEqual({ isWaiting: false, isClaimed: false });
    expect(await readRows()).toBe(before);
  } finally {
    await closeDatabase(db);
  }
});
