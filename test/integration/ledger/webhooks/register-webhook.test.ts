import { beforeEach, describe, expect, test } from "vitest";
import { moveWaiting } from "../../../../src/ledger/webhooks/move-waiting.ts";
import { pruneWebhooks } from "../../../../src/ledger/webhooks/prune-webhooks.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness, insertDelivery } from "../../../support/ledger/ledger-fixtures.ts";
import { deleteWebhook, finishSteps, registerWebhook } from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
let businessId: string;

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
});

const register = (url: string) =>
  registerWebhook(ledger.db, { businessId, url, secretCiphertext: `sealed for ${url}` });
const delivery = (id: string) => ledger.db.delivery.findUniqueOrThrow({ where: { id } });

test("the first registration takes over nothing that was created before it", async () => {
  const { deliveryId } = await insertDelivery(ledger.db, { businessId, webhookId: null });
  const { outcome } = await register("https://a.example/");
  expect(outcome).toBe("created");
  expect(await delivery(deliveryId)).toMatchObject({ webhookId: null, status: "waiting" });
});

describe("another URL", () => {
  test("takes over what is still waiting, on a fresh schedule and out of every claim", async () => {
    const { webhook: old } = await register("https://a.example/");
    const mine = { businessId, webhookId: old.id };
    const waiting = await insertDelivery(ledger.db, { ...mine, attempts: 3, isClaimed: true });
    const done = await insertDelivery(ledger.db, { ...mine, status: "delivered", attempts: 1 });
    await ledger.db.delivery.update({
      where: { id: waiting.deliveryId },
      data: { dueAt: new Date(Date.now() + 3_600_000) },
    });
    const { outcome, webhook } = await register("https://b.example/");
    expect(outcome).toBe("created");
    expect(webhook.id).not.toBe(old.id);
    const moved = await delivery(waiting.deliveryId);
    expect(moved).toMatchObject({ webhookId: webhook.id, attempts: 0, claimToken: null });
    expect(moved.dueAt.getTime()).toBeLessThan(Date.now() + 60_000);
    expect(await delivery(done.deliveryId)).toMatchObject({ webhookId: old.id, attempts: 1 });
    const row = await ledger.db.webhook.findUniqueOrThrow({ where: { id: old.id } });
    expect(row).toMatchObject({ isActive: false });
    expect(row.deletedAt).not.toBeNull();
  });

  test("of another business stays out of it", async () => {
    const { webhook } = await register("https://a.example/");
    const { deliveryId } = await insertDelivery(ledger.db, { businessId, webhookId: webhook.id });
    const other = await insertBusiness(ledger.db, "Other");
    const mine = { businessId: other, url: "https://b.example/", secretCiphertext: "x" };
    await registerWebhook(ledger.db, mine);
    expect(await delivery(deliveryId)).toMatchObject({ webhookId: webhook.id });
  });
});

describe("where very much waits, it is moved some at a time, so that nobody else waits for it", () => {
  const waiting = 250;

  async function replaceTwice(): Promise<string> {
    const { webhook: first } = await register("https://a.example/");
    const mine = { businessId, webhookId: first.id };
    for (let index = 0; index < waiting; index += 1)
      await insertDelivery(ledger.db, { ...mine, attempts: index % 2 });
    await register("https://b.example/");
    return (await register("https://c.example/")).webhook.id;
  }

  const waitingAt = (webhookId: string) =>
    ledger.db.delivery.count({ where: { webhookId, status: "waiting", attempts: 0 } });

  test("to the webhook that is the current one by then", async () => {
    const current = await replaceTwice();
    expect(await waitingAt(current)).toBeLessThan(waiting);
    const moved: number[] = [];
    for (
      let step = await moveWaiting(ledger.db);
      step !== null;
      step = await moveWaiting(ledger.db)
    )
      moved.push(step);
    expect(moved).toEqual([50, 0]);
    expect(await waitingAt(current)).toBe(waiting);
    expect(await ledger.db.webhook.count({ where: { leavesWaiting: true } })).toBe(0);
  });

  test("and is cancelled with the webhook that it would have gone to", async () => {
    const current = await replaceTwice();
    const { cancelled } = await deleteWebhook(ledger.db, { businessId, webhookId: current });
    expect(cancelled).toBe(waiting);
    await finishSteps(ledger.db);
    expect(await ledger.db.delivery.count({ where: { status: "waiting" } })).toBe(0);
  });
});

test("the same URL again keeps id and secret, and makes it active", async () => {
  const { webhook } = await register("https://a.example/");
  await ledger.db.webhook.update({
    where: { id: webhook.id },
    data: {
      isActive: false,
      disabledAt: new Date(),
      disabledReason: "gone",
      consecutiveFailures: 20,
    },
  });
  const again = await registerWebhook(ledger.db, {
    businessId,
    url: "https://a.example/",
    secretCiphertext: "another",
  });
  expect(again.outcome).toBe("unchanged");
  expect(again.webhook).toMatchObject({
    id: webhook.id,
    isActive: true,
    consecutiveFailures: 0,
    disabledAt: null,
    disabledReason: null,
  });
  const row = await ledger.db.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
  expect(row.secretCiphertext).toBe("sealed for https://a.example/");
});

test("of many registrations at once one webhook is current, and nothing waiting is lost", async () => {
  const { webhook } = await register("https://first.example/");
  const { deliveryId } = await insertDelivery(ledger.db, { businessId, webhookId: webhook.id });
  const urls = ["https://a.example/", "https://b.example/", "https://c.example/"];
  const results = await Promise.all([...urls, ...urls].map(register));
  const current = await ledger.db.webhook.findMany({ where: { businessId, deletedAt: null } });
  expect(current).toHaveLength(1);
  expect(results.map((result) => result.webhook.id)).toContain(current[0]?.id);
  expect(await delivery(deliveryId)).toMatchObject({ webhookId: current[0]?.id });
});

test("of many first registrations of one URL at once, one is created", async () => {
  const results = await Promise.all(
    Array.from({ length: 6 }, () => register("https://a.example/")),
  );
  expect(results.filter((result) => result.outcome === "created")).toHaveLength(1);
  expect(new Set(results.map((result) => result.webhook.id)).size).toBe(1);
});

describe("a business that registers another URL again and again", () => {
  const manyTimes = async (count: number) => {
    for (let index = 0; index < count; index += 1) await register(`https://${index}.example/`);
  };

  test("may replace its webhook ten times an hour, and change it as often as it likes", async () => {
    await manyTimes(11);
    await expect(register("https://one-more.example/")).rejects.toMatchObject({
      code: "rate_limited",
      facts: { retryAfterMs: expect.closeTo(3_600_000, -5) },
    });
    expect((await register("https://10.example/")).outcome).toBe("unchanged");
    const other = await insertBusiness(ledger.db, "Other");
    await registerWebhook(ledger.db, {
      businessId: other,
      url: "https://b.example/",
      secretCiphertext: "x",
    });
    await ledger.db.webhook.updateMany({
      where: { businessId, deletedAt: { not: null } },
      data: { deletedAt: new Date(Date.now() - 3_600_001) },
    });
    expect((await register("https://one-more.example/")).outcome).toBe("created");
  });

  test("leaves nothing behind once the retention is over but what something waits for", async () => {
    await manyTimes(5);
    const ended = await ledger.db.webhook.findMany({ where: { deletedAt: { not: null } } });
    const [kept] = ended;
    await insertDelivery(ledger.db, { businessId, webhookId: kept?.id ?? "" });
    expect(await pruneWebhooks(ledger.db, { olderThanMs: 60_000, limit: 100 })).toBe(0);
    await ledger.db.webhook.updateMany({
      where: { deletedAt: { not: null } },
      data: { deletedAt: new Date(Date.now() - 61_000) },
    });
    expect(await pruneWebhooks(ledger.db, { olderThanMs: 60_000, limit: 2 })).toBe(2);
    expect(await pruneWebhooks(ledger.db, { olderThanMs: 60_000, limit: 100 })).toBe(1);
    expect(await ledger.db.webhook.count()).toBe(2);
  });
});
