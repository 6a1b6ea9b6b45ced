import { expect, test } from "vitest";
import { toChecksum } from "../../../src/domain/chain/checksum.ts";
import { insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";
import { markSynced, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet } from "../../support/ledger/steps.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

const list = async (query: string, key?: string) =>
  (await api.get(`/wallets?${query}`, key)).json();

test("a wallet is shown with everything the business may know of it", async () => {
  const wallet = newWallet({ purpose: "payment", label: "till 3", reference: "a" });
  const [added] = await addWallets(api.db, { businessId: api.businessId, wallets: [wallet] });
  const expected = {
    wallet_id: added?.id,
    blockchain: "ethereum",
    address: toChecksum(wallet.address),
    currencies: ["ETH", "USDC"],
    label: "till 3",
    reference: "a",
    purpose: "payment",
    status: "syncing",
    from_block: null,
    history: null,
    created_at: added?.createdAt.toISOString(),
  };
  expect(await list("reference=a")).toEqual({ success: true, data: [expected], next_cursor: null });
  const one = await api.get(`/wallets/${added?.id}`);
  expect(one.json()).toEqual({ success: true, data: { ...expected, thresholds: [] } });
  expect(one.headers["chainbell-version"]).toBe("0.0.0-test");
  await markSynced(api.db, [added?.id ?? ""]);
  expect((await list("reference=a")).data[0].status).toBe("watched");
});

test("wallets are found by chain, address in any case, and reference", async () => {
  const wallets = [newWallet({ reference: "x" }), newWallet({ reference: "y" })];
  const added = await addWallets(api.db, { businessId: api.businessId, wallets });
  const [x, y] = added.map((wallet) => wallet.id);
  const found = async (query: string) =>
    (await list(query)).data.map((wallet: { wallet_id: string }) => wallet.wallet_id);
  expect(await found("reference=y")).toEqual([y]);
  const address = wallets[0]?.address ?? "";
  expect(await found(`address=${address}`)).toEqual([x]);
  expect(await found(`address=${toChecksum(address)}`)).toEqual([x]);
  expect(await found("blockchain=ethereum&reference=x")).toEqual([x]);
  expect(await found("blockchain=base")).toEqual([]);
});

test("an address with a wrong checksum is refused", async () => {
  const response = await api.get("/wallets?address=0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49");
  expect(response.statusCode).toBe(400);
  expect(response.json().error.details[0]).toMatchObject({ field: "address" });
});

test("pages go newest first, without removed wallets and other businesses'", async () => {
  const { businessId, key } = await insertStranger(api);
  const wallets = Array.from({ length: 7 }, () => newWallet());
  const added = (await addWallets(api.db, { businessId, wallets })).map((wallet) => wallet.id);
  await archiveWallet(api.db, added[3] ?? "");
  const first = await list("limit=4", key);
  const second = await list(`limit=4&cursor=${first.next_cursor}`, key);
  const seen = [...first.data, ...second.data].map((wallet) => wallet.wallet_id);
  expect(seen).toEqual([6, 5, 4, 2, 1, 0].map((index) => added[index]));
  expect(second.next_cursor).toBeNull();
});

test("wallets are found by when they were added", async () => {
  const { key, businessId } = await insertStranger(api);
  const wallets = [newWallet({ label: "first" }), newWallet({ label: "second" })];
  const [first, second] = await addWallets(api.db, { businessId, wallets });
  const at = (iso: string) => ({ createdAt: new Date(iso) });
  await api.db.wallet.update({
    where: { id: first?.id ?? "" },
    data: at("2026-01-31T23:59:59.999Z"),
  });
  await api.db.wallet.update({ where: { id: second?.id ?? "" }, data: at("2026-02-01T00:00:00Z") });
  for (const [query, expected] of [
    ["from=2026-02-01", ["second"]],
    ["to=2026-02-01T00:00:00Z", ["first"]],
    ["from=2026-01-01&to=2026-03-01", ["second", "first"]],
    ["from=2026-03-01", []],
  ] as const) {
    const labels = ({ data }: { data: { label: string }[] }) => data.map(({ label }) => label);
    expect(labels(await list(query, key))).toEqual(expected);
    const path = `/businesses/${businessId}/wallets?${query}`;
    expect(labels((await api.admin("GET", path)).json())).toEqual(expected);
  }
  expect((await api.get("/wallets?from=soon", key)).statusCode).toBe(400);
});

test("wallets are found by label, by status, and by what they begin with", async () => {
  const { key, businessId } = await insertStranger(api);
  const wallets = ["Till 1", "Till 2", "Shop"].map((label, turn) =>
    newWallet({ label, reference: `Order-${turn}` }),
  );
  const added = await addWallets(api.db, { businessId, wallets });
  await markSynced(api.db, [added[0]?.id ?? ""]);
  const labels = async (query: string) =>
    (await list(query, key)).data.map(({ label }: { label: string }) => label);
  expect(await labels("label=Shop")).toEqual(["Shop"]);
  expect(await labels("label=shop")).toEqual([]);
  expect(await labels("status=watched")).toEqual(["Till 1"]);
  expect(await labels("status=syncing")).toEqual(["Shop", "Till 2"]);
  expect(await labels("q=till")).toEqual(["Till 2", "Till 1"]);
  expect(await labels("q=order-2")).toEqual(["Shop"]);
  expect(await labels(`q=${wallets[1]?.address.slice(0, 14)}`)).toEqual(["Till 2"]);
  const address = wallets[1]?.address ?? "";
  expect(await labels(`q=${address.slice(0, 8)}…${address.slice(-4)}`)).toEqual(["Till 2"]);
  expect(await labels(`q=${address.slice(0, 8)}…zz`)).toEqual([]);
  expect(await labels("q=%25")).toEqual([]);
  expect((await api.get("/wallets?status=lost", key)).statusCode).toBe(400);
});
