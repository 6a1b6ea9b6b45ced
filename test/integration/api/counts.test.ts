import { describe, expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { mostCollected } from "../../../src/ledger/deliveries/undelivered.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import {
  insertDelivery,
  insertTransaction,
  newWallet,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, addWebhook, registerWebhook } from "../../support/ledger/steps.ts";

const api = eachTestApi();

async function walletOf(businessId: string): Promise<string> {
  const [wallet] = await addWallets(api.db, { businessId, wallets: [newWallet()] });
  return wallet?.id ?? "";
}

const counts = async (query: string, what = "transactions") =>
  (await api.get(`/${what}/counts${query}`)).json().data;

describe("transactions", () => {
  const empty = { deposits: 0, payments: 0, withdrawals: 0, reversed: 0 };
  const january = "?from=2026-01-01&to=2026-01-04";

  test("are counted day by day, the oldest first, empty days too, and no other business's", async () => {
    const walletId = await walletOf(api.businessId);
    const other = await walletOf((await insertStranger(api)).businessId);
    const insert = (time: string, fields: object = {}) =>
      insertTransaction(api.db, { walletId, blockTime: new Date(`2026-01-${time}Z`), ...fields });
    await insert("01T00:00:00.000");
    await insert("01T23:59:59.999", { status: "pending" });
    await insert("03T12:00:00.000", { type: "withdrawal" });
    await insert("03T13:00:00.000", { type: "payment" });
    await insert("03T14:00:00.000", { status: "reversed" });
    await insert("03T15:00:00.000", { status: "dropped" });
    await insert("03T16:00:00.000", { type: "fee" });
    await insert("04T00:00:00.000");
    await insert("02T12:00:00.000", { walletId: other });
    expect(await counts(january)).toEqual([
      { at: "2026-01-01T00:00:00.000Z", ...empty, deposits: 2 },
      { at: "2026-01-02T00:00:00.000Z", ...empty },
      { at: "2026-01-03T00:00:00.000Z", payments: 1, withdrawals: 1, deposits: 0, reversed: 1 },
    ]);
    const hours = await counts("?bucket=hour&from=2026-01-03T12:30:00Z&to=2026-01-03T14:30:00Z");
    expect(hours.map(({ at }: { at: string }) => at.slice(11, 13))).toEqual(["12", "13", "14"]);
    const second = await walletOf(api.businessId);
    await insert("02T00:00:00.000", { walletId: second });
    const own = await counts(`${january}&wallet_id=${second}`);
    expect(own.map(({ deposits }: { deposits: number }) => deposits)).toEqual([0, 1, 0]);
  });

  test("that were included again in a block of another time are counted where they are now", async () => {
    const walletId = await walletOf(api.businessId);
    const move = async (from: string, to: string) => {
      const id = await insertTransaction(api.db, { walletId, blockTime: new Date(from) });
      await api.db.transaction.update({ where: { id }, data: { blockTime: new Date(to) } });
    };
    await move("2026-01-01T23:59:59Z", "2026-01-02T00:00:01Z");
    await move("2025-12-31T23:59:59Z", "2026-01-01T00:00:01Z");
    await move("2026-01-03T23:59:59Z", "2026-01-04T00:00:01Z");
    const days = await counts(january);
    expect(days.map(({ deposits }: { deposits: number }) => deposits)).toEqual([1, 1, 0]);
  });

  test.each([
    ["?from=2026-01-02&to=2026-01-01", "none"],
    ["?from=2024-01-01&to=2026-01-01", "too many"],
    ["?bucket=hour&from=2026-01-01&to=2026-02-01", "too many"],
    ["?bucket=week", "of no known length"],
  ])("%s asks for buckets of which there are %s", async (query) => {
    const response = await api.get(`/transactions/counts${query}`);
    expect([response.statusCode, response.json().error.code]).toEqual([400, "invalid_request"]);
  });

  test("are counted for the last thirty days where nothing else is asked", async () => {
    const days = await counts("");
    expect([days.length, days.at(-1).at]).toEqual([30, "2026-06-01T00:00:00.000Z"]);
  });
});

test("notifications are counted by how they stand, each once however often it was delivered again", async () => {
  const { businessId, db } = api;
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(db, registration);
  const insert = (status: "waiting" | "delivered" | "exhausted", webhookId: string | null) =>
    insertDelivery(db, { businessId, webhookId, status });
  await insert("waiting", webhook.id);
  await insert("waiting", null);
  const { notificationId } = await insert("exhausted", webhook.id);
  await insert("delivered", webhook.id);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const to = new Date(Date.now() + 3_600_000).toISOString();
  const ask = () => counts(`?bucket=hour&from=${from}&to=${to}`, "notifications");
  const expected = { waiting: 1, held: 1, exhausted: 1, delivered: 1, cancelled: 0, filtered: 0 };
  expect(await ask()).toMatchObject({ total: expected, complete: true });
  await db.delivery.create({
    data: {
      id: notificationId,
      notificationId,
      businessId,
      webhookId: webhook.id,
      status: "delivered",
    },
  });
  const { total, buckets } = await ask();
  expect(total).toEqual({ ...expected, exhausted: 0, delivered: 2 });
  const sum = (name: string) =>
    buckets.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0);
  expect([sum("delivered"), sum("waiting"), sum("held")]).toEqual([2, 1, 1]);
});

test("notifications are counted at the time of their writing, however old their block is", async () => {
  const { businessId, db } = api;
  const { notificationId } = await insertDelivery(db, {
    businessId,
    webhookId: null,
    status: "exhausted",
  });
  const createdAt = new Date("2026-01-03T12:00:00Z");
  await db.notification.update({ where: { id: notificationId }, data: { createdAt } });
  const days = await counts("?from=2026-01-02&to=2026-01-04", "notifications");
  expect(days.buckets.map(({ exhausted }: { exhausted: number }) => exhausted)).toEqual([0, 1]);
  const now = new Date(Date.now() + 3_600_000).toISOString();
  expect((await counts(`?to=${now}`, "notifications")).total.exhausted).toBe(0);
});

test("notifications are counted as they stand at one webhook, and those alone that were written for it", async () => {
  const { businessId, db } = api;
  const register = { businessId, secretCiphertext: "x" };
  const { webhook: first } = await registerWebhook(db, { ...register, url: "https://a.example/" });
  const { webhook: second } = await addWebhook(db, { ...register, url: "https://b.example/" });
  const toFirst = { businessId, webhookId: first.id };
  const { notificationId } = await insertDelivery(db, { ...toFirst, status: "delivered" });
  await insertDelivery(db, { ...toFirst, status: "exhausted" });
  const toSecond = { businessId, webhookId: second.id, ...asAdditional };
  await db.delivery.create({ data: { id: idAt(Date.now()), notificationId, ...toSecond } });
  const to = new Date(Date.now() + 3_600_000).toISOString();
  const none = { waiting: 0, held: 0, exhausted: 0, delivered: 0, cancelled: 0, filtered: 0 };
  const at = async (webhookId: string) =>
    (await counts(`?bucket=hour&to=${to}&webhook_id=${webhookId}`, "notifications")).total;
  expect(await at(first.id)).toEqual({ ...none, delivered: 1, exhausted: 1 });
  expect(await at(second.id)).toEqual({ ...none, waiting: 1 });
  await db.webhook.update({ where: { id: second.id }, data: { isActive: false } });
  expect(await at(second.id)).toEqual({ ...none, held: 1 });
  expect(await at(notificationId)).toEqual(none);
});

/** Of a delivery to an additional webhook. */
const asAdditional = { isAdditional: true, listedAt: new Date() };

type Standing = "waiting" | "delivered" | "exhausted" | "cancelled";

test.each<[first: Standing | null, second: Standing | null, counts: string]>([
  ["delivered", "delivered", "delivered"],
  ["delivered", "waiting", "waiting"],
  ["delivered", "exhausted", "exhausted"],
  ["waiting", "exhausted", "exhausted"],
  ["exhausted", "delivered", "exhausted"],
  // The webhook was deleted: nobody waits there.
  ["delivered", "cancelled", "delivered"],
  ["cancelled", "cancelled", "cancelled"],
  ["delivered", null, "delivered"],
  [null, "delivered", "delivered"],
  [null, "waiting", "waiting"],
  [null, null, "filtered"],
])(
  "a notification that is %s at the first webhook and %s at another counts as %s",
  async (at, beside, counted) => {
    const { businessId, db } = api;
    const register = { businessId, secretCiphertext: "x" };
    const { webhook: first } = await registerWebhook(db, {
      ...register,
      url: "https://a.example/",
    });
    const { webhook: second } = await addWebhook(db, { ...register, url: "https://b.example/" });
    const { notificationId, deliveryId } = await insertDelivery(db, {
      businessId,
      webhookId: first.id,
      status: at ?? "waiting",
    });
    if (at === null) {
      await db.delivery.delete({ where: { id: deliveryId } });
      await db.notification.update({ where: { id: notificationId }, data: { isFiltered: true } });
    }
    const toSecond = { businessId, notificationId, webhookId: second.id, ...asAdditional };
    if (beside !== null)
      await db.delivery.create({ data: { id: idAt(Date.now()), ...toSecond, status: beside } });
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const { total, undelivered } = await counts(`?bucket=hour&to=${to}`, "notifications");
    const none = { waiting: 0, held: 0, exhausted: 0, delivered: 0, cancelled: 0, filtered: 0 };
    expect(total).toEqual({ ...none, [counted]: 1 });
    expect(undelivered).toBe(["waiting", "held", "exhausted"].includes(counted) ? 1 : 0);
    // The list by the same measure has what is counted, at the webhook that decided.
    const list = async (status: string) =>
      (await api.get(`/notifications?webhook_id=any&status=${status}`)).json().data;
    const whose = at === counted || counted === "filtered" ? null : second.id;
    for (const status of Object.keys(none))
      expect(await list(status)).toMatchObject(
        status === counted ? [{ id: notificationId, status, webhook_id: whose }] : [],
      );
    expect(await list("undelivered")).toHaveLength(undelivered);
  },
);

test("notifications that any webhook has not got are counted once each", async () => {
  const { businessId, db } = api;
  const register = { businessId, secretCiphertext: "x" };
  const { webhook: first } = await registerWebhook(db, { ...register, url: "https://a.example/" });
  const { webhook: second } = await addWebhook(db, { ...register, url: "https://b.example/" });
  const { webhook: third } = await addWebhook(db, { ...register, url: "https://c.example/" });
  const to = new Date(Date.now() + 3_600_000).toISOString();
  const undelivered = async (query = "") =>
    (await counts(`?bucket=hour&to=${to}${query}`, "notifications")).undelivered;
  const at = (webhookId: string, notificationId: string, status = "waiting" as const) =>
    db.delivery.create({
      data: {
        id: idAt(Date.now()),
        notificationId,
        businessId,
        webhookId,
        status,
        ...asAdditional,
      },
    });
  expect(await undelivered()).toBe(0);
  const insert = async (status: "delivered" | "exhausted" | "cancelled") =>
    (await insertDelivery(db, { businessId, webhookId: first.id, status })).notificationId;
  const [heard, failed] = [await insert("delivered"), await insert("exhausted")];
  await insert("cancelled");
  expect(await undelivered()).toBe(1);
  for (const webhook of [second, third])
    for (const notificationId of [heard, failed]) await at(webhook.id, notificationId);
  expect(await undelivered()).toBe(2);
  expect(await undelivered(`&webhook_id=${first.id}`)).toBe(1);
  expect(await undelivered(`&webhook_id=${second.id}`)).toBe(2);
  await db.delivery.updateMany({
    where: { notificationId: heard },
    data: { status: "delivered" },
  });
  expect(await undelivered()).toBe(1);
  // Sent again, and heard.
  await db.delivery.create({
    data: {
      id: idAt(Date.now()),
      notificationId: failed,
      businessId,
      webhookId: second.id,
      status: "delivered",
      ...asAdditional,
    },
  });
  expect(await undelivered(`&webhook_id=${second.id}`)).toBe(0);
  expect(await undelivered()).toBe(1);
  expect((await counts("?to=2020-01-01", "notifications")).undelivered).toBe(0);
});

test("the newest of very many that are not delivered are listed, without those that are", async () => {
  const { businessId, db } = api;
  const register = { businessId, secretCiphertext: "x" };
  await registerWebhook(db, { ...register, url: "https://a.example/" });
  const { webhook: second } = await addWebhook(db, { ...register, url: "https://b.example/" });
  const many = mostCollected + 1;
  await db.$executeRaw`
    INSERT INTO notification (id, business_id, state, event, body)
    SELECT ('01000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${businessId}::uuid, 'confirmed', 'transaction.deposit', '{}'
    FROM generate_series(1, ${many + 1}::int) n`;
  await db.$executeRaw`
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, is_additional, listed_at, status)
    SELECT id, id, business_id, ${second.id}::uuid, true, created_at,
      CASE WHEN right(id::text, 12)::int > ${many} THEN 'delivered' ELSE 'exhausted' END
    FROM notification`;
  const newest = async (query: string) => {
    const { data } = (await api.get(`/notifications?${query}&limit=2`)).json();
    return data.map(({ id }: { id: string }) => Number(id.slice(-12)));
  };
  for (const webhook of ["any", second.id])
    for (const status of ["undelivered", "exhausted"])
      expect(await newest(`webhook_id=${webhook}&status=${status}`)).toEqual([many, many - 1]);
  expect(await newest("status=exhausted")).toEqual([]);
  expect(await newest("webhook_id=any&status=delivered")).toEqual([many + 1]);
});
