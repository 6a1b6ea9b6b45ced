import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import {
  insertDelivery,
  insertTransaction,
  moveChainTo,
  newWallet,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../support/ledger/steps.ts";

const api = eachTestApi();

const admin = async (path: string) => {
  const answer = await api.admin("GET", path);
  return { status: answer.statusCode, ...answer.json() };
};

async function insertWallet(businessId: string): Promise<string> {
  const [wallet] = await addWallets(api.db, { businessId, wallets: [newWallet()] });
  return wallet?.id ?? "";
}

/** A wallet of another business, with a deposit and one that was reversed. */
async function strangersMoney() {
  const { businessId, key } = await insertStranger(api);
  const walletId = await insertWallet(businessId);
  await moveChainTo(api.db, "ethereum", 120n);
  const deposit = await insertTransaction(api.db, { walletId, blockNumber: 110n });
  const reversed = await insertTransaction(api.db, { walletId, status: "reversed" });
  return { businessId, key, walletId, deposit, reversed };
}

test("an operator opens a transaction of any business, as its business sees it and with whose it is", async () => {
  const { businessId, key, deposit } = await strangersMoney();
  const own = (await api.get(`/transactions/${deposit}`, key)).json().data;
  const { status, data } = await admin(`/transactions/${deposit}`);
  expect(status).toBe(200);
  expect(data).toEqual({ ...own, business_id: businessId });
  expect(data).toMatchObject({ confirmations: 11, required_confirmations: 12 });
});

test("an operator lists the transactions of one business, with the filters of its own list", async () => {
  const { businessId, deposit, reversed } = await strangersMoney();
  await insertTransaction(api.db, { walletId: await insertWallet(api.businessId) });
  const path = `/businesses/${businessId}/transactions`;
  const ids = async (query = "") =>
    (await admin(`${path}${query}`)).data.map(({ id }: { id: string }) => id);
  expect((await ids()).toSorted()).toEqual([deposit, reversed].toSorted());
  expect(await ids("?status=reversed")).toEqual([reversed]);
  const first = await admin(`${path}?limit=1`);
  const rest = await admin(`${path}?limit=1&cursor=${first.next_cursor}`);
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(await ids());
  expect((await admin(`${path}?status=lost`)).error.code).toBe("invalid_request");
});

test.each([
  "/businesses/:id/wallets",
  "/businesses/:id/transactions",
  "/businesses/:id/sightings",
  "/businesses/:id/statements",
  "/webhooks?business_id=:id",
  "/notifications?business_id=:id",
  "/ledger/reconciliations?business_id=:id",
])("%s is an empty list of a business without any, and a 404 of none", async (path) => {
  const { businessId } = await insertStranger(api);
  expect(await admin(path.replace(":id", businessId))).toMatchObject({ status: 200, data: [] });
  const nobody = await admin(path.replace(":id", "01900000-0000-7000-8000-000000000000"));
  expect([nobody.status, nobody.error?.code]).toEqual([404, "business_not_found"]);
});

test("an operator opens a wallet of any business, with what it holds at the confirmed height", async () => {
  const { businessId, key, walletId } = await strangersMoney();
  expect((await admin(`/wallets/${walletId}`)).data).toMatchObject({
    wallet_id: walletId,
    business_id: businessId,
    balances: null,
  });
  await api.db.chain.updateMany({ data: { confirmedNumber: 108n } });
  const { balances } = (await admin(`/wallets/${walletId}`)).data;
  expect(balances).toEqual((await api.get(`/wallets/${walletId}/balances`, key)).json().data);
  expect(balances.block_number).toBe(108);
});

test("an operator opens a business that no page of the list shows", async () => {
  const { businessId } = await insertStranger(api);
  expect((await admin(`/businesses/${businessId}`)).data).toMatchObject({
    id: businessId,
    name: "Stranger Inc",
  });
});

test("what keeps a month open is of the own business alone", async () => {
  const stranger = await strangersMoney();
  const held = await insertTransaction(api.db, { walletId: stranger.walletId, status: "pending" });
  await api.db.transaction.update({ where: { id: held }, data: { unproven: true } });
  const open = async (key: string) =>
    (await api.get("/open-matters?month=2026-01", key)).json().data.open;
  const hasOpened = { wallet_id: stranger.walletId };
  expect(await open(stranger.key)).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: "held", transaction_id: held })]),
  );
  expect(await open(api.key)).not.toContainEqual(expect.objectContaining(hasOpened));
  expect(JSON.stringify(await open(api.key))).not.toContain(held);
});

test("an operator sees the status of an answer that its business is not shown", async () => {
  const { businessId, key, deposit } = await strangersMoney();
  const registration = { businessId, url: "https://inside.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(api.db, registration);
  // An answer without its text: only `webhooks.allow` opened the target.
  const { notificationId } = await insertDelivery(api.db, {
    businessId,
    transactionId: deposit,
    webhookId: webhook.id,
    attempts: 1,
  });
  const path = `/notifications/${notificationId}`;
  const [own] = (await api.get(path, key)).json().data.attempts;
  expect(own).toMatchObject({ status_code: null, error: "withheld", response: null });
  const [shown] = (await admin(path)).data.attempts;
  expect(shown).toMatchObject({ status_code: 500, error: null, response: null });
  expect((await api.get(path)).statusCode).toBe(404);
});

test.each([
  ["transactions", "transaction_not_found"],
  ["wallets", "wallet_not_found"],
  ["businesses", "business_not_found"],
])("of %s an id that nobody has is not found", async (kind, code) => {
  const unknown = "019a0000-0000-7000-8000-000000000000";
  for (const id of [unknown, "no-id"]) {
    const { status, error } = await admin(`/${kind}/${id}`);
    expect([status, error.code]).toEqual([404, code]);
  }
});
