import { beforeEach, describe, expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertKey, insertStranger } from "../../support/api/test-api.ts";
import { markSynced, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const api = eachTestApi();
let walletId: string;
let key: string;

beforeEach(async () => {
  const { db, businessId } = api;
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  walletId = wallet?.id ?? "";
  await markSynced(db, [walletId], { ETH: { confirmed: 10n ** 18n } });
  key = await insertKey(api, businessId, { scopes: ["wallets:write"], maxWallets: 10 });
});

const put = (thresholds: readonly object[], by: string | null = key) =>
  api.call("PUT", `/wallets/${walletId}/thresholds`, { thresholds }, by);
const eth = { asset: "ETH", below: "1.5", restored_from: "2.25" };
const usdc = { asset: "USDC", below: "100" };

describe("PUT /wallets/:id/thresholds", () => {
  test("replaces the thresholds, which the wallet shows with their state", async () => {
    const answer = await put([eth, usdc]);
    expect(answer.statusCode).toBe(200);
    const { data } = answer.json();
    expect(data).toMatchObject([
      { ...eth, is_below: true },
      { ...usdc, restored_from: "100", is_below: true },
    ]);
    const shown = async () => (await api.get(`/wallets/${walletId}`)).json().data.thresholds;
    expect(await shown()).toEqual(data);
    expect((await put([usdc, eth])).json().data).toEqual(data);
    const events = (await api.get("/notifications?event=wallet.balance_below")).json().data;
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ status: "held", transaction_id: null });
    expect(events.map(({ payload }: { payload: { data: object } }) => payload.data)).toContainEqual(
      expect.objectContaining({ walletId, balance: "1", below: "1.5", restoredFrom: "2.25" }),
    );
    expect((await put([])).json().data).toEqual([]);
    expect(await shown()).toEqual([]);
    const [, first] = (await api.get("/audit")).json().data;
    expect(first).toMatchObject({
      action: "wallet.set_thresholds",
      actor: "key",
      subject: walletId,
      details: { thresholds: [{ ...usdc, restored_from: "100" }, eth] },
    });
  });

  test("takes a key with the scope for wallets, and the business's own wallet", async () => {
    expect((await put([eth], api.key)).json().error.code).toBe("scope_missing");
    expect((await put([eth], null)).statusCode).toBe(401);
    const stranger = await insertStranger(api);
    const theirs = await insertKey(api, stranger.businessId, {
      scopes: ["wallets:write"],
      maxWallets: 10,
    });
    expect((await put([eth], theirs)).json().error.code).toBe("wallet_not_found");
    expect((await api.get(`/wallets/${walletId}`)).json().data.thresholds).toEqual([]);
  });

  test.each([
    [[{ ...eth, asset: "DAI" }], "thresholds[0].asset"],
    [[eth, { ...usdc, below: "0.0000001" }], "thresholds[1].below"],
    [[{ ...eth, restored_from: "1" }], "thresholds[0].restored_from"],
    [[{ ...eth, below: 1.5 }], "thresholds[0].below"],
    [[{ ...eth, above: "1" }], "thresholds[0].above"],
    [Array.from({ length: 9 }, () => eth), "thresholds"],
  ])("refuses %j by name", async (thresholds, field) => {
    const answer = await put(thresholds);
    expect([answer.statusCode, answer.json().error.details[0].field]).toEqual([400, field]);
  });

  test("is the operator's too, of any wallet", async () => {
    const path = `/wallets/${walletId}`;
    const answer = await api.admin("PUT", `${path}/thresholds`, { thresholds: [eth] });
    expect(answer.json().data).toMatchObject([{ ...eth, is_below: true }]);
    expect((await api.admin("GET", path)).json().data.thresholds).toEqual(answer.json().data);
    const [entry] = (await api.get("/audit")).json().data;
    expect(entry).toMatchObject({ action: "wallet.set_thresholds", actor: "operator" });
    const none = await api.admin("PUT", `/wallets/${api.businessId}/thresholds`, {
      thresholds: [],
    });
    expect(none.statusCode).toBe(404);
  });
});
