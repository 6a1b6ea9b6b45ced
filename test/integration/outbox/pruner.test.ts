import { afterEach, beforeEach, expect, it } from "vitest";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { createPruner, type Retention } from "../../../src/outbox/pruner.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { waitFor } from "../../support/wait-for.ts";
import { createSeededLedger, type Seeded } from "../ledger/deliveries/seed.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const dayMs = 86_400_000;

let ledger: Seeded;

beforeEach(async () => {
  ledger = await createSeededLedger();
});

afterEach(() => ledger.close());

const count = async (table: string) =>
  Number((await ledger.sql<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]?.count);

const forEver: Retention = { notificationsMs: null, attemptsMs: null };

/** Lets the pruner work until so many rows are left. */
async function prune(retention: Retention, table: string, left: number): Promise<void> {
  const limits = { inFlight: 10, schedule: [0], random: Math.random };
  const delivering = createDeliveryLedger(ledger.db, limits);
  const pruner = createPruner({ ledger: delivering, clock, log }, retention);
  await pruner.start();
  try {
    await waitFor(async () => (await count(table)) === left, {
      what: `all but ${left} to be forgotten`,
      timeoutMs: 10_000,
    });
  } finally {
    await pruner.stop();
  }
  expect(pruner.trouble()).toBeNull();
}

it("old notifications are deleted with their attempts; what waits, and what is new, stays", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1_504 });
  const { db } = ledger;
  const ids = (await ledger.deliveries()).map(({ id }) => id);
  const [recent, waiting, ...delivered] = ids;
  const ending = { status: "delivered", deliveredAt: new Date() };
  await db.delivery.updateMany({ where: { id: { in: delivered } }, data: ending });
  await db.delivery.updateMany({
    where: { id: delivered[0] ?? "" },
    data: { status: "exhausted" },
  });
  await db.delivery.updateMany({ where: { id: recent ?? "" }, data: ending });
  await ledger.sql(
    `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms)
     SELECT id, webhook_id, 1, now(), 5 FROM delivery`,
  );
  await ledger.sql(
    `UPDATE notification SET created_at = now() - interval '91 days'
     WHERE id <> (SELECT notification_id FROM delivery WHERE id = $1)`,
    [recent],
  );
  await prune({ ...forEver, notificationsMs: 90 * dayMs }, "notification", 2);
  expect((await ledger.deliveries()).map(({ id }) => id).sort()).toEqual([recent, waiting].sort());
  expect(await count("attempt")).toBe(2);
});

it("old attempts are deleted before their notifications; those of a delivery that is not over stay", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 2_010 });
  // In the order of the attempts: what waits comes first, among what is over, and so does one that
  // is being recorded.
  await ledger.sql(`UPDATE delivery SET status = 'delivered' WHERE seq % 100 <> 0`);
  await ledger.sql(`UPDATE delivery SET status = 'cancelled', claim_token = gen_random_uuid(),
    claim_expires_at = now() - interval '1 second' WHERE seq = (SELECT min(seq) FROM delivery)`);
  await ledger.sql(
    `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms)
     SELECT id, webhook_id, 1, now() - interval '8 days', 5 FROM delivery ORDER BY seq`,
  );
  await ledger.sql(
    `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms)
     SELECT id, webhook_id, 2, now() - interval '6 days', 5 FROM delivery WHERE status = 'delivered' LIMIT 3`,
  );
  await prune({ ...forEver, attemptsMs: 7 * dayMs }, "attempt", 20 + 1 + 3);
  expect(await count("attempt WHERE started_at > now() - interval '7 days'")).toBe(3);
  expect(
    await count("attempt a JOIN delivery d ON d.id = a.delivery_id AND d.status = 'waiting'"),
  ).toBe(20);
  expect(await count("notification")).toBe(2_010);
});

it("without a retention it deletes what requests with a key were answered, after a day, and nothing else", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1 });
  await ledger.sql(`UPDATE delivery SET status = 'delivered'`);
  await ledger.sql(`UPDATE notification SET created_at = now() - interval '9 years'`);
  await ledger.sql(
    `INSERT INTO idempotency_key (owner, key, request_hash, claim, claimed_until, created_at)
     SELECT 'someone', i::text, '', gen_random_uuid(), now(), now() - i * interval '1 minute'
     FROM generate_series(1400, 4000) i`,
  );
  await prune(forEver, "idempotency_key", 40);
  expect(await count("notification")).toBe(1);
});
