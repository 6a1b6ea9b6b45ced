import { afterEach, beforeEach, expect, it } from "vitest";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { createPruner } from "../../../src/outbox/pruner.ts";
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
  const delivering = createDeliveryLedger(db, { inFlight: 10, schedule: [0], random: Math.random });
  const pruner = createPruner({ ledger: delivering, clock, log }, { olderThanMs: 90 * dayMs });
  await pruner.start();
  try {
    await waitFor(async () => (await count("notification")) === 2, {
      what: "all but two to be forgotten",
      timeoutMs: 10_000,
    });
  } finally {
    await pruner.stop();
  }
  expect((await ledger.deliveries()).map(({ id }) => id).sort()).toEqual([recent, waiting].sort());
  expect(await count("attempt")).toBe(2);
  expect(pruner.trouble()).toBeNull();
});
