import { beforeEach, describe, expect, it } from "vitest";
import { mostWebhooks } from "../../../../src/domain/webhook/registration.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { notify } from "../../../../src/ledger/notifications/notify.ts";
import { readNotifications } from "../../../../src/ledger/notifications/read-notifications.ts";
import { beginTest } from "../../../../src/ledger/notifications/test-notification.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { readTransactionsThat } from "../../../../src/ledger/transactions/move-transactions.ts";
import { readWebhook, readWebhooks } from "../../../../src/ledger/webhooks/webhooks.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertTransaction,
  newWallet,
} from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  addWebhook,
  changeWebhook,
  deleteWebhook,
  recoverDeliveries,
  redeliver,
  registerWebhook,
} from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
let businessId: string;
let walletId: string;

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
  await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
  walletId = (await ledger.db.wallet.findFirstOrThrow()).id;
});

const registration = (url: string) => ({ businessId, url, secretCiphertext: `sealed for ${url}` });
const first = async (url = "https://first.example/") =>
  (await registerWebhook(ledger.db, registration(url))).webhook.id;
const add = async (url: string) =>
  (await addWebhook(ledger.db, { ...registration(url), most: mostWebhooks })).webhook.id;
const page = { limit: 50, afterId: null };
const since = new Date(0);

/** A confirmed deposit, and its notification as a block writes it. */
async function deposit(): Promise<void> {
  const id = await insertTransaction(ledger.db, { walletId, status: "completed" });
  await inTransaction(ledger.db, async (tx) => {
    const confirmed = await readTransactionsThat(tx, Prisma.sql`id = ${id}::uuid`);
    expect(await notify(tx, { confirmed })).toEqual({ notified: 1 });
    expect(await notify(tx, { confirmed })).toEqual({ notified: 0 });
  });
}

/** Those of one notification have the same number: the first webhook's, then by the webhook. */
const deliveries = async () => {
  const orderBy = [{ seq: "asc" }, { isAdditional: "asc" }, { webhookId: "asc" }] as const;
  const rows = await ledger.db.delivery.findMany({ orderBy: [...orderBy] });
  return rows.map((one) => [one.webhookId, one.isAdditional, one.status]);
};
const set = (webhookId: string | null, status: string) =>
  ledger.db.delivery.updateMany({ where: { webhookId }, data: { status } });
const statuses = async (webhookId?: string) => {
  const filter = webhookId === undefined ? {} : { webhookId: { id: webhookId } };
  const { rows } = await readNotifications(ledger.db, { businessId, filter, page });
  return rows.map(({ status }) => status);
};

describe("several webhooks of a business", () => {
  it("each get what is written, once", async () => {
    const one = await first();
    const two = await add("https://b.example/");
    const three = await add("https://c.example/");
    await deposit();
    expect(await deliveries()).toEqual([
      [one, false, "waiting"],
      [two, true, "waiting"],
      [three, true, "waiting"],
    ]);
  });

  it("the status is that of the first, or of the one that is asked for", async () => {
    const [one, two] = [await first(), await add("https://b.example/")];
    await deposit();
    await set(one, "delivered");
    await set(two, "exhausted");
    expect(await statuses()).toEqual(["delivered"]);
    expect(await statuses(one)).toEqual(["delivered"]);
    expect(await statuses(two)).toEqual(["exhausted"]);
    await set(one, "exhausted");
    await set(two, "delivered");
    expect(await statuses()).toEqual(["exhausted"]);
    const exhausted = async (id: string) => {
      const filter = { status: "exhausted" as const, webhookId: { id } };
      return (await readNotifications(ledger.db, { businessId, page, filter })).rows;
    };
    expect(await exhausted(one)).toHaveLength(1);
    expect(await exhausted(two)).toEqual([]);
  });

  it("are recovered and notified again by themselves", async () => {
    const [one, two] = [await first(), await add("https://b.example/")];
    await deposit();
    await set(one, "exhausted");
    await set(two, "exhausted");
    const recover = (webhookId: string) =>
      recoverDeliveries(ledger.db, { businessId, webhookId }, { since, until: null });
    expect(await recover(two)).toEqual({ queued: 1 });
    expect(await deliveries()).toEqual([
      [one, false, "exhausted"],
      [two, true, "waiting"],
    ]);
    expect(await recover(two)).toEqual({ queued: 0 });
    await set(two, "delivered");
    expect(await recover(one)).toEqual({ queued: 1 });
    expect(await recover(two)).toEqual({ queued: 0 });
    await set(one, "delivered");
    const { id: notificationId } = await ledger.db.notification.findFirstOrThrow();
    await redeliver(ledger.db, { businessId, notificationId, webhookId: two });
    await redeliver(ledger.db, { businessId, notificationId });
    expect((await deliveries()).slice(2)).toEqual([
      [two, true, "waiting"],
      [one, false, "waiting"],
    ]);
    const unknown = { businessId, notificationId, webhookId: walletId };
    await expect(redeliver(ledger.db, unknown)).rejects.toMatchObject({
      code: "webhook_not_found",
    });
  });

  it("list each notification once at the time of its creation, whenever it was sent again", async () => {
    const list = async (webhookId: string) => {
      const asked = { businessId, filter: { webhookId: { id: webhookId } }, page };
      return (await readNotifications(ledger.db, asked)).rows.map(({ id }) => id);
    };
    const one = await first();
    await deposit();
    const [earlier = ""] = await list(one);
    const two = await add("https://b.example/");
    await deposit();
    await deposit();
    const test = { businessId, webhookId: two };
    const { notificationId: tried } = await beginTest(ledger.db, test, "webhook.test");
    await set(two, "delivered");
    const created = await ledger.db.notification.findMany({
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    });
    const ids = created.map(({ id }) => id);
    expect(await list(two)).toEqual(ids.filter((id) => id !== earlier));
    for (const notificationId of ids)
      if (notificationId !== tried)
        await redeliver(ledger.db, { businessId, notificationId, webhookId: two });
    expect(await list(two)).toEqual(ids);
    expect(await list(one)).toEqual(ids.filter((id) => id !== tried));
  });

  it("retries are brought forward where that is asked for, and claimed ones are not", async () => {
    const [one, two] = [await first(), await add("https://b.example/")];
    await deposit();
    await deposit();
    const later = { attempts: 3, dueAt: new Date(Date.now() + 3_600_000) };
    await ledger.db.delivery.updateMany({ data: later });
    const claimed = await ledger.db.delivery.findFirstOrThrow({ where: { webhookId: two } });
    await ledger.db.delivery.update({
      where: { id: claimed.id },
      data: { claimToken: walletId, claimExpiresAt: later.dueAt },
    });
    const name = { businessId, webhookId: two };
    const range = { since, until: null };
    expect(await recoverDeliveries(ledger.db, name, range)).toEqual({ queued: 0 });
    const asked = { ...range, include: ["waiting" as const] };
    expect(await recoverDeliveries(ledger.db, name, asked)).toEqual({ queued: 1 });
    expect(await recoverDeliveries(ledger.db, name, asked)).toEqual({ queued: 0 });
    const due = await ledger.db.delivery.findMany({ where: { dueAt: { lte: new Date() } } });
    expect(due).toMatchObject([{ webhookId: two, attempts: 3, claimToken: null }]);
    expect(due[0]?.id).not.toBe(claimed.id);
    await set(one, "cancelled");
    const exhausted = { ...range, include: ["exhausted" as const] };
    const ofFirst = { businessId, webhookId: one };
    expect(await recoverDeliveries(ledger.db, ofFirst, exhausted)).toEqual({ queued: 0 });
  });

  it("replacing the first moves what waits for it alone", async () => {
    const [one, two] = [await first(), await add("https://b.example/")];
    await deposit();
    const next = await first("https://next.example/");
    expect(next).not.toBe(one);
    expect(await deliveries()).toEqual([
      [next, false, "waiting"],
      [two, true, "waiting"],
    ]);
  });

  it("none takes the place of the first", async () => {
    const [one, two] = [await first(), await add("https://b.example/")];
    await deposit();
    const end = (webhookId: string) => deleteWebhook(ledger.db, { businessId, webhookId });
    expect(await end(one)).toEqual({ cancelled: 1 });
    const gone = expect(readWebhook(ledger.db, businessId)).rejects;
    await gone.toMatchObject({ code: "webhook_not_found" });
    await deposit();
    expect(await deliveries()).toEqual([
      [one, false, "cancelled"],
      [two, true, "waiting"],
      [null, false, "waiting"],
      [two, true, "waiting"],
    ]);
    const later = await first("https://later.example/");
    const name = { businessId, webhookId: later };
    expect(await recoverDeliveries(ledger.db, name, { since, until: null })).toEqual({ queued: 2 });
    expect(await end(two)).toEqual({ cancelled: 2 });
    expect((await readWebhooks(ledger.db, businessId)).map(({ id }) => id)).toEqual([later]);
  });

  it("a URL that one of them has is that one, and no other one's", async () => {
    const one = await first("https://a.example/");
    expect(await add("https://a.example/")).toBe(one);
    const two = await add("https://b.example/");
    expect(await first("https://b.example/")).toBe(two);
    const name = { businessId, webhookId: two };
    const change = (url: string) => changeWebhook(ledger.db, name, { url });
    await expect(change("https://a.example/")).rejects.toMatchObject({ code: "invalid_request" });
    expect((await change("https://b.example/")).url).toBe("https://b.example/");
    const all = await readWebhooks(ledger.db, businessId);
    expect(all.map(({ id, url }) => [id, url])).toEqual([
      [one, "https://a.example/"],
      [two, "https://b.example/"],
    ]);
  });

  it("there are no more than so many, and a first one counts", async () => {
    const one = await first("https://a.example/");
    await ledger.db.webhook.createMany({
      data: Array.from({ length: mostWebhooks - 2 }, (_none, index) => ({
        id: `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`,
        ...registration(`https://${index}.example/`),
        isAdditional: true,
      })),
    });
    const last = await add("https://last.example/");
    expect(await add("https://last.example/")).toBe(last);
    await expect(add("https://more.example/")).rejects.toMatchObject({ code: "limit_reached" });
    const all = await readWebhooks(ledger.db, businessId);
    expect([all.length, all[0]?.id]).toEqual([mostWebhooks, one]);

    const replaced = await first("https://z.example/");
    expect(replaced).not.toBe(one);
    await deleteWebhook(ledger.db, { businessId, webhookId: replaced });
    await add("https://more.example/");
    await expect(first("https://z.example/")).rejects.toMatchObject({ code: "limit_reached" });
  });
});
