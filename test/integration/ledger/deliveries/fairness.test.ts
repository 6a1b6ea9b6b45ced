import { describe, expect, it } from "vitest";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../../../src/ledger/deliveries/claim-memory.ts";
import { sweepClaims } from "../../../../src/ledger/deliveries/reclaim.ts";
import { recordAttempts } from "../../../../src/ledger/deliveries/record-attempts.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { eachTest } from "../../../support/each-test.ts";
import {
  deleteWebhook,
  recoverDeliveries,
  registerWebhook,
} from "../../../support/ledger/steps.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

it("counts a receiver as slow once it has not answered for a second, before any time-out", async () => {
  await ledger.addDispatcher(40);
  for (let index = 0; index < 5; index += 1) {
    const hanging = await ledger.addWebhook({
      url: `https://hanging-${index}.example/`,
      inFlight: 2,
    });
    await ledger.addDeliveries(hanging, { count: 2 });
  }
  const claims = await claimDeliveries(ledger.db, limits);
  await beginClaims(statementsOf(ledger.db).$queryRaw, {
    tokens: claims.map(({ token }) => token),
    leaseLeftMs: 0,
  });
  await ledger.sql("UPDATE business SET in_flight = NULL");
  for (const { webhook_id, business_id } of await ledger.sql<{
    webhook_id: string;
    business_id: string;
  }>("SELECT DISTINCT webhook_id, business_id FROM delivery")) {
    await ledger.addDeliveries({ webhookId: webhook_id, businessId: business_id }, { count: 8 });
  }
  await ledger.sql(
    "UPDATE delivery SET begun_at = now() - interval '3 seconds' WHERE begun_at IS NOT NULL",
  );
  expect(await claimDeliveries(ledger.db, limits), "ten of forty slots are hanging").toEqual([]);
});

it("counts no slot for what hangs, up to twice as many as there are slots", async () => {
  await ledger.addDispatcher(10);
  const hanging = await ledger.addWebhook({ url: "https://hanging.example/", inFlight: 40 });
  const healthy = await ledger.addWebhook({ url: "https://healthy.example/" });
  const hang = async (count: number) => {
    await ledger.addDeliveries(hanging, { count });
    await ledger.sql(
      `UPDATE delivery SET claim_token = gen_random_uuid(), claim_expires_at = now() - interval '1 second' + interval '1 minute',
        begun_at = now() - interval '400 ms' WHERE webhook_id = $1`,
      [hanging.webhookId],
    );
  };
  await hang(20);
  await ledger.addDeliveries(healthy, { count: 10 });
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 10 }]);
  await ledger.sql(
    "UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL WHERE webhook_id = $1",
    [healthy.webhookId],
  );
  await hang(6);
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 4 }]);
});

it("gives a receiver that nobody knows one place, and one after a pause four, until it has answered", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://new.example/" });
  await ledger.addDeliveries(webhook, { count: 20 });
  const setAnswered = (at: string) => ledger.sql(`UPDATE webhook SET answered_at = ${at}`);
  await setAnswered("NULL");
  const [claim] = await claimDeliveries(ledger.db, limits);
  expect(claim).toMatchObject({ deliveries: 1 });
  expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  await setAnswered("now() - interval '25 hours'");
  expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  await setAnswered("now() - interval '11 seconds'");
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 3 }]);
  expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  await setAnswered("now()");
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 6 }]);
});

describe("while the business changes its webhook", () => {
  async function inFlight(count: number) {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count });
    const [claim] = await claimDeliveries(ledger.db, limits);
    const token = claim?.token ?? "";
    const sends = await beginClaims(statementsOf(ledger.db).$queryRaw, {
      tokens: [token],
      leaseLeftMs: 20_000,
    });
    return { ...webhook, token, sends };
  }

  const known = () => ledger.sql("UPDATE webhook SET answered_at = now()");
  const register = (businessId: string, name: string) =>
    registerWebhook(ledger.db, {
      businessId,
      url: `https://${name}.example/`,
      secretCiphertext: "x",
    });
  const claimed = async () =>
    (await claimDeliveries(ledger.db, limits)).reduce((sum, one) => sum + one.deliveries, 0);

  it("counts what is still being sent to the one that was replaced", async () => {
    const { businessId } = await inFlight(30);
    for (const name of ["b", "c", "d"]) {
      await register(businessId, name);
      await known();
      expect(await claimed()).toBe(0);
    }
  });

  it("counts it when the webhook is deleted and everything recovered by another", async () => {
    const { businessId, webhookId } = await inFlight(30);
    await deleteWebhook(ledger.db, { businessId, webhookId });
    const { webhook } = await register(businessId, "b");
    await recoverDeliveries(
      ledger.db,
      { businessId, webhookId: webhook.id },
      { since: new Date(0), until: null },
    );
    await known();
    expect(await claimed()).toBe(0);
  });

  it("sends to the new one what the old one has answered since", async () => {
    const { businessId, token, sends } = await inFlight(10);
    const { webhook } = await register(businessId, "b");
    await known();
    const recorded = await recordAttempts(
      ledger.db,
      sends.map((send) => ({
        ...send,
        token,
        startedAt: new Date(),
        latencyMs: 12,
        result: { kind: "answered", statusCode: 200, retryAfterMs: null, response: "" },
        outcome: "accepted",
        next: { kind: "retry", delayMs: 60_000 },
      })),
    );
    expect(recorded.movedDeliveryIds, "nothing was delivered to the new one").toEqual([]);
    expect(await ledger.deliveries()).toMatchObject(
      sends.map(() => ({ webhook_id: webhook.id, status: "waiting", claim_token: null })),
    );
    expect(await claimed()).toBe(10);
  });

  it("leaves what was cancelled as it is when its attempt is recorded, or its lease ends", async () => {
    const { businessId, webhookId, token, sends } = await inFlight(2);
    await deleteWebhook(ledger.db, { businessId, webhookId });
    const [send] = sends;
    if (send === undefined) throw new Error("Nothing was begun.");
    await recordAttempts(ledger.db, [
      {
        ...send,
        token,
        startedAt: new Date(),
        latencyMs: 12,
        result: { kind: "unanswered", errorKind: "timeout" },
        outcome: "retry",
        next: { kind: "retry", delayMs: 60_000 },
      },
    ]);
    await ledger.sql(
      "UPDATE delivery SET claim_expires_at = now() - interval '1 second', unrecorded = 3 WHERE claim_token IS NOT NULL",
    );
    await sweepClaims(ledger.db, { schedule: [0, 10], random: () => 0, limit: 10 });
    expect(await ledger.deliveries()).toMatchObject(
      sends.map(() => ({ status: "cancelled", attempts: 0, claim_token: null })),
    );
  });

  it("gives the new one no turn before those that wait", async () => {
    const { businessId } = await inFlight(1);
    const { webhook } = await register(businessId, "b");
    const turns = await ledger.sql<{ last_claimed_at: Date | null }>(
      "SELECT max(claimed_at) AS last_claimed_at FROM webhook_turn WHERE webhook_id = $1",
      [webhook.id],
    );
    expect(turns[0]?.last_claimed_at).not.toBeNull();
  });
});

it("a business's webhook that hangs leaves places to the others of the business", async () => {
  await ledger.addDispatcher(100);
  const first = await ledger.addWebhook({ url: "https://hangs.example/" });
  const { businessId } = first;
  const second = await ledger.addAdditionalWebhook(businessId, "https://b.example/");
  await ledger.sql("UPDATE webhook SET is_timing_out = true WHERE id = $1", [first.webhookId]);
  await ledger.addDeliveries(first, { count: 20 });
  const claimed = async () =>
    (await claimDeliveries(ledger.db, limits)).map((one) => [...one.webhookIds, one.deliveries]);
  expect(await claimed()).toEqual([[first.webhookId, 2]]);
  expect(await claimed()).toEqual([]);
  await ledger.addDeliveries(second, { count: 20 });
  expect(await claimed()).toEqual([[second.webhookId, 8]]);
  expect(await claimed()).toEqual([]);
});

describe("more businesses than a claim looks at first", () => {
  const many = 150;

  async function addMany() {
    const webhooks = [];
    for (let index = 0; index < many; index += 1) {
      const webhook = await ledger.addWebhook({ url: `https://of-${index}.example/` });
      await ledger.addDeliveries(webhook, { count: 2 });
      webhooks.push(webhook);
    }
    return webhooks;
  }

  it("take turns: each is served once before any is served again", async () => {
    await ledger.addDispatcher(50);
    await addMany();
    await ledger.sql("UPDATE business SET in_flight = 1");
    const memory = emptyMemory();
    const served: string[][] = [];
    for (let round = 0; round < 6; round += 1) {
      const claims = await claimDeliveries(ledger.db, limits, memory);
      served.push(claims.flatMap(({ webhookIds }) => webhookIds).toSorted());
      await ledger.sql(
        `UPDATE delivery SET status = 'delivered', claim_token = NULL, claim_expires_at = NULL
         WHERE claim_token IS NOT NULL`,
      );
    }
    const [first, second] = [served.slice(0, 3), served.slice(3)];
    expect(new Set(first.flat()).size).toBe(many);
    expect(second).toEqual(first);
  });

  it("hold up nobody while none of those whose turn it is may be served", async () => {
    await ledger.addDispatcher(50);
    const webhooks = await addMany();
    const last = webhooks.slice(-2).map(({ webhookId }) => webhookId);
    await ledger.sql(
      `UPDATE webhook SET circuit_opened_at = now(), circuit_retry_at = now() + interval '1 minute' WHERE id <> ALL($1::uuid[])`,
      [last],
    );
    await ledger.sql(
      `INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at)
       SELECT id, business_id, nextval('claim_order'), now() FROM webhook WHERE id = ANY($1::uuid[])`,
      [last],
    );
    const claims = await claimDeliveries(ledger.db, limits);
    expect(claims.flatMap(({ webhookIds }) => webhookIds).toSorted()).toEqual(last.toSorted());
    expect(claims.map(({ deliveries }) => deliveries)).toEqual([2, 2]);
  });
});
