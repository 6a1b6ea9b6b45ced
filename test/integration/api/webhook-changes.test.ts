import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import { newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet } from "../../support/ledger/steps.ts";

const api = eachTestApi();
let webhookId: string;

beforeEach(async () => {
  webhookId = (await api.post("/webhooks", { url: "https://example.com/hook" })).json().data.id;
});

const request = (method: "PATCH" | "DELETE" | "POST", path: string, body?: object) =>
  api.call(method, path, body);

async function insertDelivery(row: { status: string; webhookId: string | null; createdAt?: Date }) {
  const { db } = api;
  const notificationId = idAt(Date.now());
  const createdAt = row.createdAt ?? new Date();
  const body = JSON.stringify({ id: notificationId });
  await db.notification.create({
    data: {
      id: notificationId,
      businessId: api.businessId,
      state: "confirmed",
      event: "transaction.deposit",
      body,
      createdAt,
    },
  });
  await db.delivery.create({
    data: {
      id: idAt(Date.now()),
      notificationId,
      businessId: api.businessId,
      status: row.status,
      webhookId: row.webhookId,
    },
  });
  return notificationId;
}

const statusOf = async (id: string) => (await api.get(`/notifications/${id}`)).json().data.status;

test("its rate is set and lifted by its business and by an operator, and by no number out of range", async () => {
  const rateOf = async () => (await api.get("/webhooks")).json().data.rate;
  const set = await request("PATCH", `/webhooks/${webhookId}`, { rate: 5 });
  expect(set.json().data).toMatchObject({ rate: 5, is_active: true });
  await api.admin("PATCH", `/webhooks/${webhookId}`, { rate: 7 });
  expect(await rateOf()).toBe(7);
  for (const rate of [0, 1_001, 1.5, "5"]) {
    const refused = await request("PATCH", `/webhooks/${webhookId}`, { rate });
    expect([rate, refused.statusCode]).toEqual([rate, 400]);
  }
  await request("PATCH", `/webhooks/${webhookId}`, { rate: null });
  expect(await rateOf()).toBeNull();
});

describe("what is added to its requests", () => {
  const pem = (name: string) =>
    readFileSync(new URL(`../webhook/tls/${name}`, import.meta.url), "utf8");
  const change = async (body: object) =>
    (await request("PATCH", `/webhooks/${webhookId}`, body)).json();
  const stored = async () =>
    JSON.stringify(await api.db.webhook.findMany({ omit: { mark: true } }));

  test("headers are shown by name, and stored encrypted", async () => {
    const { data } = await change({ headers: { Authorization: "Bearer canary-1" } });
    expect(data).toMatchObject({ header_names: ["Authorization"] });
    expect(JSON.stringify(data) + (await stored())).not.toContain("canary");
    expect((await api.get("/audit")).body).not.toContain("canary");
    expect((await change({ headers: null })).data.header_names).toEqual([]);
  });

  test.each([{ Host: "inner" }, { "X-A": "a\r\nHost: b" }, { "X-A": "1", "x-a": "2" }])(
    "%j is refused",
    async (headers) => {
      expect((await change({ headers })).error).toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("headers"),
      });
    },
  );

  test("a certificate is shown by its fingerprint, and one that does not fit its key is refused", async () => {
    const own = { certificate: pem("client.pem"), private_key: pem("client-key.pem") };
    const { data } = await change({ client_certificate: own });
    const fingerprint = new X509Certificate(own.certificate).fingerprint256;
    expect(data.client_certificate).toMatchObject({
      fingerprint: fingerprint.replaceAll(":", "").toLowerCase(),
    });
    expect(await stored()).not.toContain("PRIVATE KEY");
    for (const wrong of [{ private_key: pem("server-key.pem") }, { certificate: "no" }]) {
      const refused = await change({ client_certificate: { ...own, ...wrong } });
      expect(refused.error.code).toBe("invalid_request");
    }
    expect((await change({ client_certificate: null })).data.client_certificate).toBeNull();
  });

  test("a key pair is made once, and its public key shown", async () => {
    const { data } = await change({ ed25519: true });
    expect(data.public_key).toMatch(/^whpk_[\w+/]{43}=$/);
    expect((await change({ ed25519: true })).data.public_key).toBe(data.public_key);
    expect(await stored()).not.toContain("PRIVATE KEY");
    expect((await change({ ed25519: false })).data.public_key).toBeNull();
    expect((await change({ ed25519: true })).data.public_key).not.toBe(data.public_key);
  });

  test("a key pair rotates with the secret, and is gone with its successor", async () => {
    const rotate = async (overlapHours: number) => {
      const body = { overlap_hours: overlapHours };
      return (await request("POST", `/webhooks/${webhookId}/rotate-secret`, body)).json().data;
    };
    await change({ ed25519: false });
    expect((await rotate(1)).public_key).toBeNull();
    const { data: made } = await change({ ed25519: true });
    const replaced = await rotate(0);
    expect(replaced.public_key).not.toBe(made.public_key);
    const overlapping = await rotate(1);
    const shown = async () => (await api.get("/webhooks")).json().data;
    const { public_key: next } = overlapping;
    expect(await shown()).toMatchObject({ public_key: replaced.public_key, next_public_key: next });
    // Rotated again within the overlap: what was new is the old one now.
    const again = await rotate(1);
    const keys = { public_key: next, next_public_key: again.public_key };
    expect(await shown()).toMatchObject(keys);
    const none = { public_key: null, next_public_key: null };
    expect((await change({ ed25519: false })).data).toMatchObject(none);
  });
});

test("a changed URL keeps id and secret; deactivating holds what waits, and activating sends it", async () => {
  const waiting = await insertDelivery({ status: "waiting", webhookId });
  const patched = await request("PATCH", `/webhooks/${webhookId}`, {
    url: "https://example.com/other",
  });
  expect(patched.json().data).toMatchObject({
    id: webhookId,
    url: "https://example.com/other",
    is_active: true,
  });
  expect(patched.body).not.toContain("whsec_");
  await request("PATCH", `/webhooks/${webhookId}`, { is_active: false });
  expect(await statusOf(waiting)).toBe("held");
  await request("PATCH", `/webhooks/${webhookId}`, { is_active: true });
  expect(await statusOf(waiting)).toBe("waiting");
});

test("a filter that is there stays with any change, also where it names a wallet that is gone", async () => {
  const address = "0x00000000000000000000000000000000000b0bb0";
  const [wallet] = await addWallets(api.db, {
    businessId: api.businessId,
    wallets: [newWallet({ address })],
  });
  const filter = { wallet_ids: [wallet?.id] };
  const path = `/webhooks/${webhookId}`;
  expect((await request("PATCH", path, { filter })).statusCode).toBe(200);
  await archiveWallet(api.db, wallet?.id ?? "");
  const same = await request("PATCH", path, { description: "shop", filter });
  expect(same.statusCode).toBe(200);
  expect(same.json().data).toMatchObject({ description: "shop", filter });
  const another = { ...filter, events: ["transaction.deposit"] };
  expect((await request("PATCH", path, { filter: another })).statusCode).toBe(400);
});

test("another URL closes the circuit, and the same one does not", async () => {
  const path = `/webhooks/${webhookId}`;
  const openedAt = new Date();
  const data = { circuitOpenedAt: openedAt, circuitRetryAt: openedAt };
  await api.db.webhook.update({ where: { id: webhookId }, data });
  const circuit = async () =>
    (await api.db.webhook.findUniqueOrThrow({ where: { id: webhookId } })).circuitOpenedAt;
  await request("PATCH", path, { url: "https://example.com/hook" });
  expect(await circuit()).toEqual(openedAt);
  await request("PATCH", path, { url: "https://example.com/other" });
  expect(await circuit()).toBeNull();
});

test("an id in upper case is the same id, also in the audit trail", async () => {
  const path = `/webhooks/${webhookId.toUpperCase()}`;
  expect((await request("DELETE", path)).statusCode).toBe(200);
  const entries = (await api.admin("GET", `/audit?subject=${webhookId}`)).json().data;
  expect(entries).toMatchObject([{ action: "webhook.delete" }, { action: "webhook.register" }]);
});

test("a refused URL changes nothing, and neither does an empty change", async () => {
  for (const body of [
    { url: "http://127.0.0.1/" },
    { url: "https://[::1]/" },
    {},
    { is_active: "yes" },
  ]) {
    expect((await request("PATCH", `/webhooks/${webhookId}`, body)).statusCode).toBe(400);
  }
  expect((await api.get("/webhooks")).json().data.url).toBe("https://example.com/hook");
});

test("a deleted webhook cancels what waits; a later one recovers it", async () => {
  const waiting = await insertDelivery({ status: "waiting", webhookId });
  expect((await request("DELETE", `/webhooks/${webhookId}`)).json().data).toMatchObject({
    cancelled: 1,
  });
  expect(await statusOf(waiting)).toBe("cancelled");
  expect((await api.get("/webhooks")).statusCode).toBe(404);
  const later = (await api.post("/webhooks", { url: "https://example.com/new" })).json().data.id;
  expect(await statusOf(waiting)).toBe("cancelled");
  const recovered = await request("POST", `/webhooks/${later}/recover`, { since: "2020-01-01" });
  expect([recovered.statusCode, recovered.json().queued]).toEqual([202, 1]);
  expect(await statusOf(waiting)).toBe("waiting");
});

test("recovering queues the held, exhausted and cancelled of a period, and leaves the delivered and the waiting alone", async () => {
  const exhausted = await insertDelivery({ status: "exhausted", webhookId });
  const held = await insertDelivery({ status: "waiting", webhookId: null });
  const cancelled = await insertDelivery({ status: "cancelled", webhookId });
  await insertDelivery({ status: "delivered", webhookId });
  await insertDelivery({ status: "waiting", webhookId });
  const old = await insertDelivery({
    status: "exhausted",
    webhookId,
    createdAt: new Date("2021-01-01"),
  });
  const recover = () =>
    request("POST", `/webhooks/${webhookId}/recover`, { since: "2022-01-01T00:00:00Z" });
  expect((await recover()).json().queued).toBe(3);
  expect((await recover()).json().queued).toBe(0);
  expect(await Promise.all([exhausted, held, cancelled].map(statusOf))).toEqual([
    "waiting",
    "waiting",
    "waiting",
  ]);
  expect(await statusOf(old)).toBe("exhausted");
});

test("a recovery can be looked at before, also while the webhook is inactive", async () => {
  const ids = [
    await insertDelivery({ status: "exhausted", webhookId, createdAt: new Date("2023-01-01") }),
    await insertDelivery({ status: "cancelled", webhookId, createdAt: new Date("2023-01-02") }),
  ];
  await insertDelivery({ status: "delivered", webhookId });
  await request("PATCH", `/webhooks/${webhookId}`, { is_active: false });
  const looked = await request("POST", `/webhooks/${webhookId}/recover`, {
    since: "2022-01-01",
    preview: true,
  });
  expect([looked.statusCode, looked.json().data]).toMatchObject([
    200,
    {
      count: 2,
      more: false,
      first: [
        { id: ids[0], status: "exhausted", created_at: "2023-01-01T00:00:00.000Z" },
        { id: ids[1], status: "cancelled" },
      ],
    },
  ]);
  expect(await Promise.all(ids.map(statusOf))).toEqual(["exhausted", "cancelled"]);
});

test("a recovery with a filter queues what it names, of amounts, balances and unlisted tokens, and a preview shows the same", async () => {
  const said = async (event: string, data: object) => {
    const id = await insertDelivery({ status: "exhausted", webhookId });
    const body = JSON.stringify({ id, event, data: { blockchain: "anvil", ...data } });
    await api.db.notification.update({ where: { id }, data: { event, body } });
    return id;
  };
  const [shop, bar] = [idAt(1), idAt(2)];
  const coin = { asset: "ETH", walletId: shop, reference: "shop-1" };
  const small = await said("transaction.deposit", { ...coin, amount: "0.5" });
  const large = await said("transaction.deposit", { ...coin, amount: "10.0" });
  const below = await said("wallet.balance_below", { ...coin, walletId: bar, reference: null });
  const token = await said("token.unlisted", { walletId: shop, reference: "shop-1" });
  const ask = (filter: object, preview: boolean) =>
    request("POST", `/webhooks/${webhookId}/recover`, { since: "2022-01-01", filter, preview });
  const found = async (filter: object) => {
    const { data } = (await ask(filter, true)).json();
    expect(data.count).toBe(data.first.length);
    return data.first.map(({ id }: { id: string }) => id).sort();
  };
  const sorted = (...ids: string[]) => [...ids].sort();
  expect(await found({})).toEqual(sorted(small, large, below, token));
  expect(await found({ events: ["token.unlisted"] })).toEqual([token]);
  expect(await found({ blockchains: ["ethereum"] })).toEqual([]);
  expect(await found({ assets: ["ETH"] })).toEqual(sorted(small, large, below));
  expect(await found({ wallet_ids: [bar] })).toEqual([below]);
  expect(await found({ references: ["shop-"] })).toEqual(sorted(small, large, token));
  expect(await found({ min_amount: { ETH: "10" } })).toEqual(sorted(large, below));
  expect(await found({ min_usd: "1000000" })).toEqual(sorted(small, large, below));
  const filter = { events: ["transaction.deposit"], min_amount: { ETH: "10" } };
  expect((await ask(filter, false)).json().queued).toBe(1);
  expect(await Promise.all([small, large, below, token].map(statusOf))).toEqual([
    "exhausted",
    "waiting",
    "exhausted",
    "exhausted",
  ]);
  const { details } = (await api.get("/audit")).json().data[0];
  expect(details.filter).toEqual({
    events: ["transaction.deposit"],
    minAmount: { ETH: "10" },
  });
  const refused = await ask({ colour: "red" }, false);
  expect(refused.json().error.details[0].field).toMatch(/^filter/);
});

test("activating makes retries due now, with the attempts that they had", async () => {
  const id = await insertDelivery({ status: "waiting", webhookId });
  const later = { attempts: 3, dueAt: new Date(Date.now() + 3_600_000) };
  await api.db.delivery.updateMany({ where: { notificationId: id }, data: later });
  await request("PATCH", `/webhooks/${webhookId}`, { is_active: true });
  const { attempts, dueAt } = await api.db.delivery.findFirstOrThrow({
    where: { notificationId: id },
  });
  expect([attempts, dueAt < later.dueAt]).toEqual([3, true]);
});

test("an inactive webhook is not recovered for, nor redelivered to", async () => {
  const exhausted = await insertDelivery({ status: "exhausted", webhookId });
  await request("PATCH", `/webhooks/${webhookId}`, { is_active: false });
  const recovered = await request("POST", `/webhooks/${webhookId}/recover`, {
    since: "2022-01-01",
  });
  expect([recovered.statusCode, recovered.json().error.code]).toEqual([409, "webhook_inactive"]);
  expect((await request("POST", `/notifications/${exhausted}/redeliver`)).statusCode).toBe(409);
});

test("a redelivery is one more delivery, and a second one waits for it", async () => {
  const id = await insertDelivery({ status: "exhausted", webhookId });
  expect((await request("POST", `/notifications/${id}/redeliver`)).statusCode).toBe(202);
  const again = await request("POST", `/notifications/${id}/redeliver`);
  expect([again.statusCode, again.json().error.code]).toEqual([409, "delivery_in_flight"]);
  const deliveries = await api.db.delivery.findMany({
    where: { notificationId: id },
    orderBy: { seq: "asc" },
  });
  expect(deliveries.map(({ status, maxAttempts }) => [status, maxAttempts])).toEqual([
    ["exhausted", null],
    ["waiting", 1],
  ]);
});

test("a rotation shows its secret once, overlaps for as long as asked, and can be finished early", async () => {
  const rotated = await request("POST", `/webhooks/${webhookId}/rotate-secret`);
  const { secret, overlap_ends_at } = rotated.json().data;
  expect(secret).toMatch(/^whsec_/);
  const hours = (Date.parse(overlap_ends_at) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  expect((await api.get("/webhooks")).json().data.overlap_ends_at).toBe(overlap_ends_at);
  await request("POST", `/webhooks/${webhookId}/rotate-secret/finish`);
  expect((await api.get("/webhooks")).json().data.overlap_ends_at).toBeNull();
  const atOnce = await request("POST", `/webhooks/${webhookId}/rotate-secret`, {
    overlap_hours: 0,
  });
  expect(atOnce.json().data.overlap_ends_at).toBeNull();
  for (const overlap_hours of [-1, 169, 1.5, "1"]) {
    const refused = await request("POST", `/webhooks/${webhookId}/rotate-secret`, {
      overlap_hours,
    });
    expect(refused.statusCode).toBe(400);
  }
});

test("another business's webhook and notifications are not found, with the body of what does not exist", async () => {
  const id = await insertDelivery({ status: "exhausted", webhookId });
  const stranger = await insertStranger(api);
  const nobody = idAt(Date.now());
  const paths: ["PATCH" | "DELETE" | "POST" | "GET", (id: string) => string, object?][] = [
    ["PATCH", (one) => `/webhooks/${one}`, { is_active: false }],
    ["DELETE", (one) => `/webhooks/${one}`],
    ["POST", (one) => `/webhooks/${one}/rotate-secret`],
    ["POST", (one) => `/webhooks/${one}/rotate-secret/finish`],
    ["POST", (one) => `/webhooks/${one}/recover`, { since: "2022-01-01" }],
    ["GET", (one) => `/notifications/${one}`],
    ["POST", (one) => `/notifications/${one}/redeliver`],
  ];
  for (const [method, path, body] of paths) {
    const own = path("x").startsWith("/webhooks") ? webhookId : id;
    const answers = await Promise.all(
      [own, nobody].map((one) => api.call(method, path(one), body, stranger.key)),
    );
    const [theirs, none] = answers.map((answer) => ({
      status: answer.statusCode,
      error: answer.json().error,
    }));
    expect(theirs).toEqual(none);
    expect(theirs?.status).toBe(404);
  }
  expect((await api.call("GET", "/notifications", undefined, stranger.key)).json().data).toEqual(
    [],
  );
});
