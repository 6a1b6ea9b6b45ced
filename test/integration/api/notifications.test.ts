import { expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { encodeCursor } from "../../../src/domain/page.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import {
  insertDelivery,
  insertTransaction,
  newWallet,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const api = eachTestApi();

type Row = { event: string; status: string; webhookId: string; at: string };

async function insert({ event, status, webhookId, at }: Row): Promise<string> {
  const createdAt = new Date(at);
  const { businessId } = api;
  const id = idAt(createdAt.getTime());
  const body = JSON.stringify({ id });
  const notification = { id, businessId, state: "confirmed", event, body, createdAt };
  await api.db.notification.create({ data: notification });
  const delivery = { id: idAt(Date.now()), notificationId: id, businessId, status, webhookId };
  await api.db.delivery.create({ data: delivery });
  return id;
}

const found = async (query: string): Promise<string[]> =>
  (await api.get(`/notifications?${query}`)).json().data.map(({ id }: { id: string }) => id);

test("notifications are found by event, status, webhook and time, and by all of them together", async () => {
  const webhookId = (await api.post("/webhooks", { url: "https://a.example/hook" })).json().data.id;
  const other = idAt(Date.now());
  const deposit = { event: "transaction.deposit", webhookId };
  const first = await insert({ ...deposit, status: "delivered", at: "2026-01-01T00:00:00Z" });
  const second = await insert({ ...deposit, status: "exhausted", at: "2026-01-02T00:00:00Z" });
  const third = await insert({
    event: "transaction.reversed",
    webhookId: other,

    status: "delivered",
    at: "2026-01-03T00:00:00Z",
  });
  expect(await found("")).toEqual([third, second, first]);
  expect(await found("event=transaction.deposit")).toEqual([second, first]);
  expect(await found("event=transaction.unknown")).toEqual([]);
  expect(await found("status=delivered")).toEqual([third, first]);
  expect(await found(`webhook_id=${other}`)).toEqual([third]);
  expect(await found("from=2026-01-02&to=2026-01-03")).toEqual([second]);
  expect(await found(`event=transaction.deposit&status=delivered&webhook_id=${webhookId}`)).toEqual(
    [first],
  );
  const page = (await api.get("/notifications?status=delivered&limit=1")).json();
  expect(await found(`status=delivered&limit=1&cursor=${page.next_cursor}`)).toEqual([first]);
  for (const wrong of ["status=lost", "webhook_id=1", "from=yesterday"]) {
    expect([wrong, (await api.get(`/notifications?${wrong}`)).statusCode]).toEqual([wrong, 400]);
  }
});

test("a page follows a notification that is gone, with what is older and kept", async () => {
  const webhookId = idAt(Date.now());
  const event = "transaction.deposit";
  const row = { event, webhookId, status: "delivered" };
  const ids = [];
  for (const at of ["2026-01-01T00:00:00.001Z", "2026-01-01T00:00:00.002Z", "2026-01-02T00:00:00Z"])
    ids.push(await insert({ ...row, at }));
  const [oldest, between = "", newest] = ids;
  const page = (await api.get("/notifications?limit=2")).json();
  expect(page.data.map(({ id }: { id: string }) => id)).toEqual([newest, between]);
  await api.db.delivery.deleteMany({ where: { notificationId: between } });
  await api.db.notification.delete({ where: { id: between } });
  expect(await found(`cursor=${page.next_cursor}`)).toEqual([oldest]);
  // A cursor of an earlier release has the id alone.
  expect(await found(`cursor=${encodeCursor(newest ?? "")}`)).toEqual([oldest]);
});

test("notifications are found by chain and asset, also those about no transaction", async () => {
  const { businessId, db } = api;
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const walletId = wallet?.id ?? "";
  const notify = async (assetCode: string) => {
    const transactionId = await insertTransaction(db, { walletId, assetCode });
    const of = { businessId, transactionId, webhookId: null, status: "exhausted" } as const;
    return (await insertDelivery(db, of)).notificationId;
  };
  const [ether, dollars] = [await notify("ETH"), await notify("USDC")];
  const below = idAt(Date.now());
  const body = JSON.stringify({ data: { asset: "USDC", blockchain: "ethereum" } });
  const event = "wallet.balance_below";
  await db.notification.create({
    data: { id: below, businessId, walletId, state: "below", event, body },
  });
  const asOperator = async (query: string): Promise<string[]> =>
    (await api.admin("GET", `/notifications?${query}`))
      .json()
      .data.map(({ id }: { id: string }) => id);
  for (const ask of [found, asOperator]) {
    expect(await ask("asset=usdc")).toEqual([below, dollars]);
    expect(await ask("asset=ETH&blockchain=ethereum")).toEqual([ether]);
    expect(await ask("asset=ETH&status=delivered")).toEqual([]);
    expect(await ask("blockchain=ethereum")).toEqual([below, dollars, ether]);
    expect(await ask("blockchain=base")).toEqual([]);
  }
  expect((await api.get("/notifications?asset=DOGE")).json().error.message).toMatch(/ETH/);
});

test("notifications are newest first by when they were written, whatever their ids say", async () => {
  const written = async (minute: number, idMinute: number) => {
    const id = idAt(Date.UTC(2026, 0, 1, 0, idMinute));
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, minute));
    const event = "transaction.deposit";
    const of = { businessId: api.businessId, state: "confirmed", event };
    await api.db.notification.create({ data: { ...of, id, body: "{}", createdAt } });
    return id;
  };
  // The second and the last are of blocks that were read late.
  const ids = [await written(1, 1), await written(2, 0), await written(3, 3), await written(4, 2)];
  const newest = ids.reverse();
  expect(await found("")).toEqual(newest);
  const paged: string[] = [];
  for (let query = "limit=1"; ; ) {
    const page = (await api.get(`/notifications?${query}`)).json();
    paged.push(...page.data.map(({ id }: { id: string }) => id));
    if (page.next_cursor === null) break;
    query = `limit=1&cursor=${page.next_cursor}`;
  }
  expect(paged).toEqual(newest);
});

test("each notification of a list has its last attempt at the webhook that its status is of", async () => {
  const url = "https://a.example/hook";
  const webhookId = (await api.post("/webhooks", { url })).json().data.id;
  const at = "2026-01-01T00:00:00Z";
  const event = "transaction.deposit";
  const tried = await insert({ event, status: "exhausted", webhookId, at });
  const hidden = await insert({ event, status: "exhausted", webhookId, at });
  const fresh = await insert({ event, status: "waiting", webhookId, at });
  const deliveries = await api.db.delivery.findMany();
  const deliveryOf = (id: string) => deliveries.find((one) => one.notificationId === id)?.id ?? "";
  const attempt = { webhookId, startedAt: new Date(at), latencyMs: 5 };
  const made = [
    { deliveryId: deliveryOf(tried), number: 1, errorKind: "timeout" },
    { deliveryId: deliveryOf(tried), number: 2, statusCode: 503, response: "no ".repeat(100) },
    // Without a text only an exception of the operator opened its target.
    { deliveryId: deliveryOf(hidden), number: 1, statusCode: 200 },
  ];
  for (const one of made) await api.db.attempt.create({ data: { ...attempt, ...one } });

  const last = { url, at: "2026-01-01T00:00:00.000Z" };
  const response = "no ".repeat(100).slice(0, 200);
  const expected = {
    [tried]: { ...last, status_code: 503, error: null, response },
    [hidden]: { ...last, status_code: null, error: "withheld", response: null },
    [fresh]: null,
  };
  const attemptsIn = (rows: { id: string; last_attempt: unknown }[]) =>
    Object.fromEntries(rows.map(({ id, last_attempt: shown }) => [id, shown]));
  expect(attemptsIn((await api.get("/notifications")).json().data)).toEqual(expected);
  const including = (await api.get("/notifications?include=label")).json().data;
  expect(attemptsIn(including)).toEqual(expected);
  expect(including[0]).toHaveProperty("label", null);
  const ofAll = (await api.admin("GET", "/notifications")).json().data;
  expect(attemptsIn(ofAll)).toEqual({
    ...expected,
    [hidden]: { ...last, status_code: 200, error: null, response: null },
  });
});
