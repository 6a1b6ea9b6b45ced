import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import {
  insertDelivery,
  insertTransaction,
  newWallet,
  randomHash,
} from "../../support/ledger/ledger-fixtures.ts";
import { insertSighting } from "../../support/ledger/sightings.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const api = eachTestApi();

type Found = { kind: string; id: string; label: string; detail: string };

const found = async (text: string, key?: string): Promise<Found[]> =>
  (await api.get(`/search?q=${encodeURIComponent(text)}`, key)).json().data;

const operatorFound = async (text: string): Promise<Found[]> =>
  (await api.admin("GET", `/search?q=${encodeURIComponent(text)}`)).json().data;

const kinds = (rows: Found[]) => rows.map(({ kind, id }) => [kind, id]);

test("a hash, an address, an id and a part of a text are found by their business and by operators", async () => {
  const { db, businessId } = api;
  const fields = { reference: "Order-17", label: "Shop in Łódź" };
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet(fields)] });
  const walletId = wallet?.id ?? "";
  const txHash = randomHash();
  const id = await insertTransaction(db, { walletId, txHash });
  const { notificationId } = await insertDelivery(db, { businessId, webhookId: null });
  const asked: [string, [string, string][]][] = [
    [txHash, [["transaction", id]]],
    [txHash.toUpperCase().replace("X", "x"), [["transaction", id]]],
    [`${txHash.slice(0, 8)}…${txHash.slice(-6)}`, [["transaction", id]]],
    [`${txHash.slice(0, 10)}...${txHash.slice(-4).toUpperCase()}`, [["transaction", id]]],
    [txHash.slice(0, 8), [["transaction", id]]],
    [`${txHash.slice(0, 8)}…${randomHash().slice(-6)}`, []],
    [`${wallet?.address.slice(0, 8)}…${wallet?.address.slice(-4)}`, [["wallet", walletId]]],
    [`${txHash.slice(0, 6)}…${txHash.slice(-4)}`, [["transaction", id]]],
    [`${wallet?.address.slice(0, 6)}…${wallet?.address.slice(-4)}`, [["wallet", walletId]]],
    [txHash.slice(0, 6), []],
    [`${txHash.slice(0, 5)}…${txHash.slice(-6)}`, []],
    [`${txHash.slice(0, 6)}…${txHash.slice(-3)}`, []],
    [id, [["transaction", id]]],
    [wallet?.address ?? "", [["wallet", walletId]]],
    [wallet?.address.slice(0, 12) ?? "", [["wallet", walletId]]],
    [walletId, [["wallet", walletId]]],
    [notificationId, [["notification", notificationId]]],
    ["order-1", [["wallet", walletId]]],
    [" shop in łó", [["wallet", walletId]]],
    ["RDER-1", [["wallet", walletId]]],
    ["in łódź", [["wallet", walletId]]],
    ["rd", []],
    ["%", []],
    ["order_1", []],
    [randomHash(), []],
  ];
  const { key } = await insertStranger(api);
  for (const [text, expected] of asked) {
    expect([text, kinds(await found(text))]).toEqual([text, expected]);
    expect([text, kinds(await operatorFound(text))]).toEqual([text, expected]);
    expect([text, await found(text, key)]).toEqual([text, []]);
  }
});

test("a transfer of an unlisted token is found by its hash, with the business that got it", async () => {
  const { db, businessId } = api;
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const to = { businessId, walletId: wallet?.id ?? "", toAddress: wallet?.address ?? "" };
  const { id, txHash, contract } = await insertSighting(db, to);
  const expected = {
    kind: "sighting",
    id,
    label: txHash,
    detail: `${contract} ethereum`,
    business_id: businessId,
  };
  const { key } = await insertStranger(api);
  for (const text of [txHash, `${txHash.slice(0, 8)}…${txHash.slice(-6)}`, id]) {
    expect(await found(text)).toEqual([expected]);
    expect(await operatorFound(text)).toEqual([expected]);
    expect(await found(text, key)).toEqual([]);
  }
});

test.each(["No. 4", "nr. 4", "no 4"])(
  "a notification is found by its number in the stream of a chain, as %s",
  async (text) => {
    const { db, businessId } = api;
    const numbered = async (chainName: string, sequence: bigint) => {
      const { notificationId: id } = await insertDelivery(db, { businessId, webhookId: null });
      const digest = Buffer.alloc(32);
      await db.notification.update({ where: { id }, data: { chainName, sequence, digest } });
      return id;
    };
    const id = await numbered("ethereum", 4n);
    await numbered("ethereum", 44n);
    const label = "transaction.deposit";
    const expected = { kind: "notification", id, label, detail: "ethereum 4" };
    expect(await found(text)).toMatchObject([expected]);
    expect(await operatorFound(text)).toMatchObject([{ ...expected, business_id: businessId }]);
    const { key } = await insertStranger(api);
    expect(await found(text, key)).toEqual([]);
  },
);

test("keys are found by their business; businesses and chains by operators alone", async () => {
  const created = await api.admin("POST", `/businesses/${api.businessId}/api-keys`, {
    label: "production",
  });
  const { id, key } = created.json();
  expect(await found("PROD")).toMatchObject([{ kind: "key", id, label: "production" }]);
  expect(kinds(await found(key.slice(0, 8)))).toContainEqual(["key", id]);
  expect(JSON.stringify(await found("prod"))).not.toContain(key);
  for (const text of ["Example", "ethereum", api.businessId]) expect(await found(text)).toEqual([]);
  expect(kinds(await operatorFound("example"))).toEqual([["business", api.businessId]]);
  expect(kinds(await operatorFound("ethe"))).toEqual([["chain", "ethereum"]]);
  expect(kinds(await operatorFound(api.businessId))).toEqual([["business", api.businessId]]);
});

test.each(["", "%20", "a%00b", "x".repeat(201)])("'%s' is nothing to look for", async (text) => {
  const response = await api.get(`/search?q=${text}`);
  expect([response.statusCode, response.json().error.code]).toEqual([400, "invalid_request"]);
});
