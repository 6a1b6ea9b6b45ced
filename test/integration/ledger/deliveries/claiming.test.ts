import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { giveBackClaim } from "../../../../src/ledger/deliveries/give-back-claim.ts";
import {
  removeDispatcher,
  reportDispatcher,
} from "../../../../src/ledger/deliveries/heartbeats.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { eachTest } from "../../../support/each-test.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

async function claimedIds(token?: string): Promise<string[]> {
  const rows = await ledger.deliveries();
  return rows
    .filter((row) => (token === undefined ? row.claim_token !== null : row.claim_token === token))
    .map(({ id }) => id);
}

describe("claiming", () => {
  it("takes first attempts in ledger order, up to the number in flight", async () => {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    const ids = await ledger.addDeliveries(webhook, { count: 15 });
    const claims = await claimDeliveries(ledger.db, limits);
    expect(claims).toMatchObject([{ webhookIds: [webhook.webhookId], deliveries: 10 }]);
    expect(await claimedIds()).toEqual(ids.slice(0, 10));
    expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  });

  it("lets receivers that time out have a quarter of the slots together, however many they are", async () => {
    await ledger.addDispatcher(40);
    for (let index = 0; index < 5; index += 1) {
      const slow = await ledger.addWebhook({ url: `https://slow-${index}.example/` });
      await ledger.addDeliveries(slow, { count: 10 });
    }
    await ledger.sql("UPDATE webhook SET is_timing_out = true");
    const slowClaims = async () =>
      (await claimDeliveries(ledger.db, limits)).reduce((sum, claim) => sum + claim.deliveries, 0);
    expect(await slowClaims()).toBe(10);
    expect(await slowClaims(), "their quarter is used up").toBe(0);
    const healthy = await ledger.addWebhook({ url: "https://healthy.example/" });
    await ledger.addDeliveries(healthy, { count: 10 });
    expect(await claimDeliveries(ledger.db, limits)).toMatchObject([
      { webhookIds: [healthy.webhookId], deliveries: 10 },
    ]);
  });

  it("keeps to the business's own number in flight", async () => {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/", inFlight: 2 });
    await ledger.addDeliveries(webhook, { count: 5 });
    expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 2 }]);
  });

  it("serves webhooks in turn, the one that waited longest first", async () => {
    await ledger.addDispatcher(1);
    const webhooks = [];
    for (let index = 0; index < 3; index += 1) {
      const webhook = await ledger.addWebhook({ url: `https://${index}.example/` });
      await ledger.addDeliveries(webhook, { count: 2 });
      webhooks.push(webhook.webhookId);
    }
    const served: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const [claim] = await claimDeliveries(ledger.db, limits);
      served.push(...(claim?.webhookIds ?? []));
      await ledger.sql(
        "UPDATE delivery SET status = 'delivered', claim_token = NULL, claim_expires_at = NULL WHERE claim_token IS NOT NULL",
      );
    }
    expect(new Set(served.slice(0, 3))).toEqual(new Set(webhooks));
    expect(served.slice(3)).toEqual(served.slice(0, 3));
  });

  it("never admits more than the live dispatchers' slots", async () => {
    await ledger.addDispatcher(3);
    await ledger.addDispatcher(4);
    const dead = await ledger.addDispatcher(50);
    await ledger.sql("UPDATE dispatcher SET seen_at = now() - interval '1 minute' WHERE id = $1", [
      dead,
    ]);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count: 10 });
    const claims = await Promise.all([1, 2, 3, 4].map(() => claimDeliveries(ledger.db, limits)));
    const admitted = claims.flat().reduce((sum, claim) => sum + claim.deliveries, 0);
    expect(admitted).toBe(7);
    expect((await claimedIds()).length).toBe(7);
  });

  it("admits nothing for a dispatcher that has left", async () => {
    const id = randomUUID();
    await reportDispatcher(ledger.db, { id, slots: 5 });
    await reportDispatcher(ledger.db, { id, slots: 5 });
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count: 1 });
    await removeDispatcher(ledger.db, { id });
    expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
    await reportDispatcher(ledger.db, { id, slots: 5 });
    expect(await claimDeliveries(ledger.db, limits)).toHaveLength(1);
  });

  it("mixes retries into first attempts, so that neither starves the other", async () => {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/", inFlight: 8 });
    const retries = await ledger.addDeliveries(webhook, {
      count: 20,
      attempts: 1,
      dueInMs: -5_000,
    });
    const fresh = await ledger.addDeliveries(webhook, { count: 20 });
    await claimDeliveries(ledger.db, limits);
    const claimed = await claimedIds();
    expect(claimed.filter((id) => fresh.includes(id))).toEqual(fresh.slice(0, 6));
    expect(claimed.filter((id) => retries.includes(id))).toHaveLength(2);
  });

  it("gives all places to retries where nothing is fresh", async () => {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count: 12, attempts: 2, dueInMs: -1_000 });
    expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 10 }]);
  });

  it("lets a single place alternate between retries and first attempts", async () => {
    await ledger.addDispatcher(1);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    const retries = await ledger.addDeliveries(webhook, { count: 1, attempts: 1, dueInMs: -5_000 });
    const fresh = await ledger.addDeliveries(webhook, { count: 1 });
    const [first] = await claimDeliveries(ledger.db, { ...limits, random: () => 0.5 });
    expect(await claimedIds()).toEqual(fresh);
    await giveBackClaim(ledger.db, { tokens: [first?.token ?? ""] });
    await claimDeliveries(ledger.db, { ...limits, random: () => 0.8 });
    expect(await claimedIds()).toEqual(retries);
  });

  it("leaves what is not due, held, or of a suspended business", async () => {
    await ledger.addDispatcher(100);
    const later = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(later, { count: 1, attempts: 1, dueInMs: 60_000 });
    const inactive = await ledger.addWebhook({ url: "https://b.example/" });
    await ledger.addDeliveries(inactive, { count: 1 });
    const suspended = await ledger.addWebhook({ url: "https://c.example/" });
    await ledger.addDeliveries(suspended, { count: 1 });
    const [held] = await ledger.addDeliveries(suspended, { count: 1 });
    await ledger.sql("UPDATE webhook SET is_active = false WHERE id = $1", [inactive.webhookId]);
    await ledger.sql("UPDATE business SET suspended_at = now() WHERE id = $1", [
      suspended.businessId,
    ]);
    await ledger.sql("UPDATE delivery SET webhook_id = NULL WHERE id = $1", [held]);
    expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  });

  it("passes over a delivery that another transaction holds, and does not wait for it", async () => {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    const ids = await ledger.addDeliveries(webhook, { count: 3 });
    await ledger.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT FROM delivery WHERE id = ${ids[0]}::uuid FOR NO KEY UPDATE`;
      await claimDeliveries(ledger.db, limits);
      expect(await claimedIds()).toEqual(ids.slice(1));
    });
    await claimDeliveries(ledger.db, limits);
    expect(await claimedIds()).toEqual(ids);
  });

  it("serves those behind any number of webhooks that get nothing", async () => {
    await ledger.addDispatcher(4);
    for (let index = 0; index < 3; index += 1) {
      const slow = await ledger.addWebhook({ url: `https://slow-${index}.example/` });
      await ledger.addDeliveries(slow, { count: 2 });
    }
    await ledger.sql("UPDATE webhook SET is_timing_out = true");
    const onlyOne = { ...limits, webhookLimit: 1 };
    expect(await claimDeliveries(ledger.db, onlyOne)).toMatchObject([{ deliveries: 1 }]);
    const healthy = await ledger.addWebhook({ url: "https://healthy.example/" });
    await ledger.addDeliveries(healthy, { count: 2 });
    await ledger.sql(
      "INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at) SELECT id, business_id, 0, now() FROM webhook WHERE NOT is_timing_out",
    );
    expect(await claimDeliveries(ledger.db, onlyOne)).toMatchObject([
      { webhookIds: [healthy.webhookId], deliveries: 2 },
    ]);
  });

  it("is not stopped by a ledger commit that writes deliveries of the same webhook", async () => {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    const [id] = await ledger.addDeliveries(webhook, { count: 1 });
    await ledger.db.$transaction(async (tx) => {
      await tx.$executeRaw`
        INSERT INTO delivery (id, notification_id, business_id, webhook_id)
        SELECT gen_random_uuid(), notification_id, business_id, webhook_id FROM delivery`;
      expect(await claimDeliveries(ledger.db, limits)).toHaveLength(1);
      expect(await claimedIds()).toEqual([id]);
    });
  });
});

describe("a claim", () => {
  async function claimOne() {
    await ledger.addDispatcher(100);
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    const ids = await ledger.addDeliveries(webhook, { count: 2 });
    const [claim] = await claimDeliveries(ledger.db, limits);
    return { webhook, ids, token: claim?.token ?? "" };
  }

  /** Webhooks in their turn, each with so many deliveries due. */
  async function inTurn(counts: readonly number[]) {
    await ledger.addDispatcher(100);
    const urls = counts.map((_, index) => `https://${index}.example/`);
    const added = [];
    for (const url of urls) added.push(await ledger.addWebhook({ url }));
    const webhooks = added.toSorted((a, b) => (a.webhookId < b.webhookId ? -1 : 1));
    for (const [index, count] of counts.entries()) {
      const webhook = webhooks[index];
      if (webhook !== undefined) await ledger.addDeliveries(webhook, { count });
    }
    return webhooks;
  }

  it.each([
    { counts: [2, 2, 2], direct: 4, begun: [2, 2, null] },
    { counts: [2, 5, 2], direct: 4, begun: [2, null, 2] },
    { counts: [3, 2], direct: 2, begun: [null, 2] },
    { counts: [1, 1], direct: 0, begun: [null, null] },
  ])("begins at once in turn where they fit: $counts into $direct", async (given) => {
    const { counts, direct, begun } = given;
    const webhooks = await inTurn(counts);
    const claims = await claimDeliveries(ledger.db, { ...limits, direct });
    const claimOf = ({ webhookId }: { webhookId: string }) =>
      claims.find((claim) => claim.webhookIds.includes(webhookId));
    expect(webhooks.map((one) => claimOf(one)?.begun?.length ?? null)).toEqual(begun);
    for (const { token, deliveries, begun: own } of claims) {
      const rows = (await ledger.deliveries()).filter(({ claim_token }) => claim_token === token);
      expect(rows.map(({ unrecorded }) => unrecorded)).toEqual(
        Array.from({ length: deliveries }, () => (own === null ? 0 : 1)),
      );
      const again = { tokens: [token], leaseLeftMs: 20_000 };
      const { $queryRaw } = statementsOf(ledger.db);
      expect(await beginClaims($queryRaw, again)).toHaveLength(own === null ? deliveries : 0);
    }
  });

  /** A business with so many deliveries due for each of its webhooks. */
  async function ofOneBusiness(counts: readonly number[], { inFlight }: { inFlight: number }) {
    const first = await ledger.addWebhook({ url: "https://0.example/", inFlight });
    const webhooks = [first];
    for (let index = 1; index < counts.length; index += 1) {
      const url = `https://${index}.example/`;
      webhooks.push(await ledger.addAdditionalWebhook(first.businessId, url));
    }
    for (const [index, webhook] of webhooks.entries())
      await ledger.addDeliveries(webhook, { count: counts[index] ?? 0 });
    return webhooks;
  }

  it("has the deliveries of all webhooks of a business, but of one only", async () => {
    await ledger.addDispatcher(100);
    const own = await ofOneBusiness([2, 3, 1], { inFlight: 10 });
    const other = await ledger.addWebhook({ url: "https://other.example/" });
    await ledger.addDeliveries(other, { count: 1 });
    const claims = await claimDeliveries(ledger.db, limits);
    expect(claims.toSorted((a, b) => b.deliveries - a.deliveries)).toMatchObject([
      { deliveries: 6, webhookIds: own.map(({ webhookId }) => webhookId).toSorted() },
      { deliveries: 1, webhookIds: [other.webhookId] },
    ]);
  });

  it("has at most as many deliveries as one dispatcher has slots", async () => {
    await ledger.addDispatcher(4);
    await ledger.addDispatcher(6);
    await ofOneBusiness([3, 3, 3], { inFlight: 20 });
    const claims = await claimDeliveries(ledger.db, limits);
    expect(claims.map(({ deliveries }) => deliveries)).toEqual([3, 3, 3]);
  });

  it("begins apart from what of its business waits in the queue", async () => {
    await ledger.addDispatcher(100);
    await ofOneBusiness([2, 2, 2], { inFlight: 10 });
    const claims = await claimDeliveries(ledger.db, { ...limits, direct: 5 });
    const sizes = claims.map(({ deliveries, begun }) => [deliveries, begun?.length ?? null]);
    expect(sizes.toSorted()).toEqual([
      [2, null],
      [4, 4],
    ]);
  });

  it("begins without the deliveries of a webhook that was paused meanwhile", async () => {
    await ledger.addDispatcher(100);
    const [going, paused] = await ofOneBusiness([2, 3], { inFlight: 10 });
    const [claim] = await claimDeliveries(ledger.db, limits);
    await ledger.sql("UPDATE webhook SET is_active = false WHERE id = $1", [paused?.webhookId]);
    const tokens = [claim?.token ?? ""];
    const { $queryRaw } = statementsOf(ledger.db);
    const begun = await beginClaims($queryRaw, { tokens, leaseLeftMs: 20_000 });
    expect(begun.map(({ webhookId }) => webhookId)).toEqual([going?.webhookId, going?.webhookId]);
    expect(await giveBackClaim(ledger.db, { tokens })).toBe(3);
    expect(await claimedIds()).toHaveLength(2);
  });

  it("begins nothing past older deliveries of its webhook that wait in the queue", async () => {
    const [webhook] = await inTurn([3]);
    if (webhook === undefined) throw new Error("There is a webhook.");
    await claimDeliveries(ledger.db, limits);
    await ledger.addDeliveries(webhook, { count: 1 });
    const newer = () => claimDeliveries(ledger.db, { ...limits, direct: 10 });
    expect(await newer()).toMatchObject([{ deliveries: 1, begun: null }]);
    await ledger.sql("UPDATE delivery SET begun_at = now() WHERE claim_token IS NOT NULL");
    await ledger.addDeliveries(webhook, { count: 1 });
    expect(await newer()).toMatchObject([{ deliveries: 1, begun: [{ attempt: 1 }] }]);
  });

  it("waits in the queue where nothing of it can begin", async () => {
    await inTurn([2]);
    const late = { ...limits, direct: 10, leaseLeftMs: limits.leaseMs + 1 };
    expect(await claimDeliveries(ledger.db, late)).toMatchObject([{ deliveries: 2, begun: null }]);
  });

  it("is begun once, with what it takes to send it", async () => {
    const { webhook, ids, token } = await claimOne();
    const begun = await Promise.all(
      [1, 2, 3].map(() =>
        beginClaims(statementsOf(ledger.db).$queryRaw, { tokens: [token], leaseLeftMs: 20_000 }),
      ),
    );
    const sends = begun.flat();
    expect(sends.map(({ deliveryId }) => deliveryId).sort()).toEqual([...ids].sort());
    expect(sends[0]).toMatchObject({
      url: "https://a.example/",
      webhookId: webhook.webhookId,
      attempt: 1,
      number: 1,
      maxAttempts: null,
    });
    expect((await ledger.deliveries()).map(({ unrecorded }) => unrecorded)).toEqual([1, 1]);
  });

  it("is not begun with a token that no longer holds", async () => {
    const { token } = await claimOne();
    expect(await giveBackClaim(ledger.db, { tokens: [token] })).toBe(2);
    await claimDeliveries(ledger.db, limits);
    expect(
      await beginClaims(statementsOf(ledger.db).$queryRaw, {
        tokens: [token],
        leaseLeftMs: 20_000,
      }),
    ).toEqual([]);
    expect((await ledger.deliveries()).every(({ unrecorded }) => unrecorded === 0)).toBe(true);
  });

  it("is not begun with too little of its lease left", async () => {
    const { token } = await claimOne();
    await ledger.sql(
      "UPDATE delivery SET claim_expires_at = now() - interval '1 second' + interval '19 seconds'",
    );
    expect(
      await beginClaims(statementsOf(ledger.db).$queryRaw, {
        tokens: [token],
        leaseLeftMs: 20_000,
      }),
    ).toEqual([]);
  });

  it("is not begun for a webhook that was deactivated meanwhile", async () => {
    const { token } = await claimOne();
    await ledger.sql("UPDATE webhook SET is_active = false");
    expect(
      await beginClaims(statementsOf(ledger.db).$queryRaw, {
        tokens: [token],
        leaseLeftMs: 20_000,
      }),
    ).toEqual([]);
  });

  it("is not given back once it was begun", async () => {
    const { token } = await claimOne();
    await beginClaims(statementsOf(ledger.db).$queryRaw, { tokens: [token], leaseLeftMs: 20_000 });
    expect(await giveBackClaim(ledger.db, { tokens: [token] })).toBe(0);
    expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  });
});
