import { expect, it } from "vitest";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { eachTest } from "../../../support/each-test.ts";
import { changeWebhook } from "../../../support/ledger/steps.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

async function addLimited(rate: number | null) {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/", inFlight: 50 });
  await ledger.addDeliveries(webhook, { count: 40 });
  await changeWebhook(ledger.db, webhook, { rate });
  return webhook;
}

const claimed = async () =>
  (await claimDeliveries(ledger.db, limits)).reduce((sum, one) => sum + one.deliveries, 0);
const pass = (ms: number) =>
  ledger.sql("UPDATE webhook_turn SET rate_until = rate_until - $1 * interval '1 ms'", [ms]);

it("sends a second's worth at once after a pause, and then as the rate says", async () => {
  // So slow that what passes by itself while the test runs is less than one delivery.
  await addLimited(4);
  expect(await claimed()).toBe(4);
  await pass(-60_000);
  expect(await claimed(), "ahead of time").toBe(0);
  await ledger.sql("UPDATE webhook_turn SET rate_until = now() + interval '60 s'");
  await pass(59_500);
  expect(await claimed(), "half a second").toBe(2);
});

it("counts for nobody else, and holds up nobody else", async () => {
  const { webhookId, businessId } = await addLimited(1);
  await ledger.sql(
    `INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at, rate_until)
     VALUES ($1, $2, 0, now(), now() + interval '1 hour')`,
    [webhookId, businessId],
  );
  const other = await ledger.addWebhook({ url: "https://b.example/" });
  await ledger.addDeliveries(other, { count: 5 });
  const alone = { ...limits, webhookLimit: 1 };
  expect(await claimDeliveries(ledger.db, alone)).toMatchObject([
    { webhookId: other.webhookId, deliveries: 5 },
  ]);
});

it("is lifted by null", async () => {
  const webhook = await addLimited(2);
  expect(await claimed()).toBe(2);
  await changeWebhook(ledger.db, webhook, { rate: null });
  expect(await claimed()).toBe(38);
});
