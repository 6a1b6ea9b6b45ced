import { describe, expect, it } from "vitest";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { eachTest } from "../../../support/each-test.ts";
import { addWebhook, changeWebhook, setBusiness } from "../../../support/ledger/steps.ts";
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
    { webhookIds: [other.webhookId], deliveries: 5 },
  ]);
});

it("is lifted by null", async () => {
  const webhook = await addLimited(2);
  expect(await claimed()).toBe(2);
  await changeWebhook(ledger.db, webhook, { rate: null });
  expect(await claimed()).toBe(38);
});

describe("the rate of a business", () => {
  /** A business with two webhooks and 40 deliveries due at each. */
  async function addTwo(rate: number | null) {
    await ledger.addDispatcher(200);
    const first = await ledger.addWebhook({ url: "https://a.example/", inFlight: 100 });
    const { businessId } = first;
    const other = await ledger.addAdditionalWebhook(businessId, "https://b.example/");
    for (const one of [first, other]) await ledger.addDeliveries(one, { count: 40 });
    await setBusiness(ledger.db, businessId, { rate });
    return { businessId, first, other };
  }
  const aheadBy = (ms: number) =>
    ledger.sql(
      "UPDATE webhook_turn SET business_rate_until = statement_timestamp() + $1 * interval '1 ms'",
      [ms],
    );
  /** The seconds by which it is ahead, as the turns of its webhooks say. */
  const spans = async () => {
    const rows = await ledger.sql<{ seconds: string }>(
      `SELECT DISTINCT extract(epoch FROM business_rate_until - claimed_at)::float8 AS seconds
       FROM webhook_turn WHERE number = (SELECT max(number) FROM webhook_turn)`,
    );
    return rows.map(({ seconds }) => Number(seconds));
  };

  it("admits a second's worth at all of its webhooks together", async () => {
    await addTwo(50);
    expect(await claimed()).toBe(50);
    expect(await spans(), "one time for both").toEqual([1]);
    await aheadBy(60_000);
    expect(await claimed(), "ahead of time").toBe(0);
  });

  it("goes on from where it was, whichever webhook was claimed for", async () => {
    const { first, businessId } = await addTwo(5);
    await changeWebhook(ledger.db, first, { rate: 1 });
    expect(await claimed()).toBe(5);
    await setBusiness(ledger.db, businessId, { rate: 1 });
    await aheadBy(60_000);
    expect(await claimed()).toBe(0);
    await aheadBy(-1_000);
    expect(await claimed()).toBe(1);
    expect(await spans()).toEqual([1]);
  });

  it("is not begun anew by another webhook, nor without one that was deleted", async () => {
    const { businessId } = await addTwo(4);
    expect(await claimed()).toBe(4);
    await aheadBy(60_000);
    const url = "https://c.example/";
    const asked = { businessId, url, secretCiphertext: "x", most: 16 };
    const { webhook } = await addWebhook(ledger.db, asked);
    await ledger.sql("UPDATE webhook SET answered_at = now()");
    await ledger.addDeliveries({ businessId, webhookId: webhook.id }, { count: 5 });
    await ledger.sql("UPDATE webhook SET deleted_at = now(), is_active = false WHERE id <> $1", [
      webhook.id,
    ]);
    expect(await claimed()).toBe(0);
  });

  it("is the same in the turn of a new webhook, whichever of two like turns is read", async () => {
    const { businessId } = await addTwo(4);
    expect(await claimed()).toBe(4);
    await aheadBy(60_000);
    const url = "https://c.example/";
    const asked = { businessId, url, secretCiphertext: "x", most: 16 };
    const { webhook } = await addWebhook(ledger.db, asked);
    await ledger.sql("UPDATE webhook SET answered_at = now()");
    await ledger.addDeliveries({ businessId, webhookId: webhook.id }, { count: 5 });
    // The index has rows of one number in the order in which they lie: each is the last one once.
    for (const last of ["=", "<>"]) {
      await ledger.sql(`UPDATE webhook_turn SET number = number WHERE webhook_id ${last} $1`, [
        webhook.id,
      ]);
      expect(await claimed(), `the new one ${last} the last one`).toBe(0);
    }
  });

  it("holds up no other business, and is lifted by null", async () => {
    const { businessId } = await addTwo(2);
    const other = await ledger.addWebhook({ url: "https://d.example/" });
    await ledger.addDeliveries(other, { count: 7 });
    expect(await claimed()).toBe(2 + 7);
    await aheadBy(60_000);
    await setBusiness(ledger.db, businessId, { rate: null });
    expect(await claimed()).toBe(78);
  });
});
