import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import {
  insertTransaction,
  moveChainTo,
  randomAddress,
} from "../../support/ledger/ledger-fixtures.ts";

let api: TestApi;

beforeEach(async () => {
  api = await openTestApi();
});

afterEach(() => api.stop());

/** The newest entry of the audit trail, as /admin/audit shows it. */
async function newest() {
  const { action, subject, details, actor, via } = (await api.admin("GET", "/audit?limit=1")).json()
    .data[0];
  return { action, subject, details, by: `${via} ${actor}` };
}

async function act(method: "POST" | "PATCH" | "DELETE", url: string, body?: object) {
  const response = await api.admin(method, url, body);
  expect([url, response.statusCode < 300]).toEqual([url, true]);
  return response.json().data;
}

test("each change of a business and its keys leaves an entry that says what was asked for", async () => {
  const by = "http ops";
  const { id } = await act("POST", "/businesses", { name: "New" });
  const created = { name: "New", isVerified: false };
  expect(await newest()).toEqual({ action: "business.create", subject: id, details: created, by });
  for (const verb of ["verify", "suspend", "resume"]) {
    await act("POST", `/businesses/${id}/${verb}`);
    expect(await newest()).toEqual({ action: `business.${verb}`, subject: id, details: {}, by });
  }
  await act("PATCH", `/businesses/${id}`, { name: "Other", in_flight: null });
  const details = { name: "Other", inFlight: null };
  expect(await newest()).toEqual({ action: "business.set", subject: id, details, by });
  const key = await act("POST", `/businesses/${id}/api-keys`, { label: "x" });
  const ofKey = { businessId: id, prefix: key.prefix };
  expect(await newest()).toEqual({
    action: "key.create",
    subject: key.id,
    by,
    details: { ...ofKey, label: "x" },
  });
  await act("DELETE", `/api-keys/${key.id}`);
  expect(await newest()).toEqual({ action: "key.revoke", subject: key.id, details: ofKey, by });
});

test("a settlement leaves one that names the block and its transactions", async () => {
  const { wallet_id: walletId } = await act("POST", `/businesses/${api.businessId}/wallets`, {
    blockchain: "ethereum",
    address: randomAddress(),
  });
  const heldId = await insertTransaction(api.db, { walletId, status: "pending" });
  const { blockHash } = await api.db.transaction.update({
    where: { id: heldId },
    data: { unproven: true },
  });
  const { transactions } = await act("POST", "/chains/ethereum/settle", { block_hash: blockHash });
  expect(transactions).toMatchObject([{ id: heldId, wallet_id: walletId, amount: "1" }]);
  expect(await newest()).toEqual({
    action: "chain.settle",
    subject: "ethereum",
    by: "http ops",
    details: { block: 100, hash: blockHash, transactions: [heldId] },
  });
});

test("each change of wallets, chains and webhooks leaves one too", async () => {
  const by = "http ops";
  const { businessId } = api;
  const address = randomAddress();
  const wallet = await act("POST", `/businesses/${businessId}/wallets`, {
    blockchain: "ethereum",
    address,
  });
  const id = wallet.wallet_id;
  expect(await newest()).toEqual({
    action: "wallet.add",
    subject: businessId,
    by,
    details: { count: 1, wallets: [{ id, blockchain: "ethereum", address }] },
  });
  await moveChainTo(api.db, "ethereum", 20n);
  await act("POST", `/wallets/${id}/backfill`, { from_block: 3 });
  const history = { fromBlock: 3 };
  expect(await newest()).toEqual({
    action: "wallet.backfill",
    subject: id,
    details: history,
    by,
  });
  await act("DELETE", `/wallets/${id.toUpperCase()}`);
  const leaving = { status: "leaving" };
  expect(await newest()).toEqual({ action: "wallet.remove", subject: id, details: leaving, by });
  await act("POST", `/wallets/${id}/archive`);
  expect(await newest()).toEqual({ action: "wallet.archive", subject: id, details: {}, by });
  await act("POST", "/chains/ethereum/reset");
  expect(await newest()).toEqual({
    action: "chain.reset",
    subject: "ethereum",
    by,
    details: { dropped: 0, reversed: 0, notified: 0 },
  });
  await api.post("/webhooks", { url: "https://a.example/" });
  const webhook = (await api.get("/webhooks")).json().data.id;
  for (const [verb, isActive] of [
    ["disable", false],
    ["enable", true],
  ] as const) {
    await act("POST", `/webhooks/${webhook}/${verb}`);
    expect(await newest()).toEqual({
      action: "webhook.change",
      subject: webhook,
      details: { isActive },
      by,
    });
  }
});

test("what was refused or failed leaves none", async () => {
  const nobody = "01900000-0000-7000-8000-000000000000";
  for (const url of [
    "/businesses/nonsense/verify",
    `/businesses/${nobody}/verify`,
    "/chains/moon/reset",
  ]) {
    expect((await api.admin("POST", url)).statusCode).toBe(404);
  }
  expect((await api.admin("GET", "/audit")).json().data).toEqual([]);
});
