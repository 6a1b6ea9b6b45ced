import { beforeAll, expect, test } from "vitest";
import { allPages } from "../../support/api/all-pages.ts";
import { insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";
import { bulkChains } from "../../support/ledger/bulk-ledger.ts";
import { insertTransaction, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

type Row = { id: string; amount: string; blockchain: string };
type Listed = { data: Row[]; next_cursor: string | null };

/** In atomic units, in the order of their blocks. On base USDC has two decimals here. */
const deposits: [chain: string, atomic: bigint, type?: "withdrawal" | "fee"][] = [
  ["ethereum", 25_000_000n],
  ["base", 2_500n],
  ["ethereum", 1_000_500_000n],
  ["ethereum", 25_000_000n, "withdrawal"],
  ["base", 2_501n],
  ["ethereum", 25_005_000n],
  ["ethereum", 99_000_000n, "fee"],
  ["base", 1n],
  ["ethereum", 12_345n],
];
const byAmount = ["1000.5", "25.01", "25.005", "25", "25", "25", "0.012345", "0.01"];
let walletIds: Record<string, string>;
let stranger: string;
let ids: string[];

const ask = async (query: string, key?: string) =>
  (await api.get(`/transactions?${query}`, key)).json();

const pages = (query: string, limit: number) =>
  allPages<Row>(ask, { query, limit, most: deposits.length });

beforeAll(async () => {
  const { db, businessId } = api;
  await configureChains(db, [...bulkChains], "removed");
  await db.asset.updateMany({ where: { chainName: "base", code: "USDC" }, data: { decimals: 2 } });
  const chains = ["ethereum", "base"];
  const wallets = chains.map((chainName) => newWallet({ chainName }));
  const added = await addWallets(db, { businessId, wallets });
  walletIds = Object.fromEntries(added.map(({ chainName, id }) => [chainName, id]));
  ids = [];
  for (const [place, [chain, amountAtomic, type = "deposit"]] of deposits.entries()) {
    const walletId = walletIds[chain] ?? "";
    const blockTime = new Date(Date.UTC(2026, 1, 1, 0, place));
    ids.push(
      await insertTransaction(db, { walletId, amountAtomic, type, blockTime, assetCode: "USDC" }),
    );
  }
  stranger = (await insertStranger(api)).key;
});

test.each([1, 2, 3, 8, 50])("pages of %i rows have the largest first, each once", async (limit) => {
  const rows = await pages("asset=usdc&sort=amount", limit);
  expect(rows.map(({ amount }) => amount)).toEqual(byAmount);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  // Of equal amounts the newest is first.
  expect(rows.slice(3, 6).map(({ id }) => id)).toEqual([ids[3], ids[1], ids[0]]);
});

test("other filters hold in that order", async () => {
  const amounts = async (query: string) =>
    (await pages(`asset=USDC&sort=amount&${query}`, 2)).map(({ amount }) => amount);
  expect(await amounts("blockchain=base")).toEqual(["25.01", "25", "0.01"]);
  expect(await amounts("type=withdrawal")).toEqual(["25"]);
  expect(await amounts(`wallet_id=${walletIds["base"]}`)).toEqual(["25.01", "25", "0.01"]);
  expect(await amounts("from=2026-02-01T00:04:00Z")).toEqual([
    "25.01",
    "25.005",
    "0.012345",
    "0.01",
  ]);
  expect(await amounts("status=reversed")).toEqual([]);
});

test("an export and the operator's list have the same order", async () => {
  const query = "asset=USDC&sort=amount";
  const headers = { "x-api-key": api.key, accept: "text/csv" };
  const csv = await api.web.inject({ method: "GET", url: `/transactions?${query}`, headers });
  const [head = "", ...lines] = csv.body.trim().split("\r\n");
  const column = head.split(",").indexOf("amount");
  expect(lines.map((line) => line.split(",")[column])).toEqual(byAmount);
  const listed = await api.admin("GET", `/businesses/${api.businessId}/transactions?${query}`);
  expect(listed.json().data.map(({ amount }: Row) => amount)).toEqual(byAmount);
});

test("a business sees none of another, also with its cursor", async () => {
  const { next_cursor: cursor } = await ask("asset=USDC&sort=amount&limit=2");
  expect((await ask("asset=USDC&sort=amount", stranger)).data).toEqual([]);
  expect((await ask(`asset=USDC&sort=amount&cursor=${cursor}`, stranger)).data).toEqual([]);
});

test("a cursor of the usual order is none of this one", async () => {
  const { next_cursor: cursor } = await ask("asset=USDC&limit=2");
  const answer = await api.get(`/transactions?asset=USDC&sort=amount&cursor=${cursor}`);
  expect([answer.statusCode, answer.json().error.message]).toEqual([
    400,
    expect.stringContaining("cursor"),
  ]);
});

test.each([1n, 10n ** 30n])(
  "a page begins where the one before ended, also if that row has another amount since: %i",
  async (amount) => {
    const query = "asset=USDC&sort=amount&limit=4";
    const first: Listed = await ask(query);
    const last = first.data.at(-1)?.id ?? "";
    const { amount: before } = await api.db.transaction.findUniqueOrThrow({ where: { id: last } });
    const setAmount = (to: bigint | typeof before) =>
      api.db.transaction.update({ where: { id: last }, data: { amount: to.toString() } });
    await setAmount(amount);
    const next: Listed = await ask(`${query}&cursor=${first.next_cursor}`);
    await setAmount(before);
    const others = next.data.filter(({ id }) => id !== last);
    expect(others.map((row) => row.amount)).toEqual(byAmount.slice(4));
  },
);

test.each([
  ["sort=amount", "sort"],
  ["sort=amount&asset=USDC&type=fee", "sort"],
  ["sort=size&asset=USDC", "sort"],
])("%s is refused", async (query, field) => {
  const answer = await api.get(`/transactions?${query}`);
  expect([answer.statusCode, answer.json().error.message]).toEqual([
    400,
    expect.stringContaining(field),
  ]);
});

test.each([
  ["25 USDC", [3, 1, 0]],
  ["25.00usdc", [3, 1, 0]],
  ["1,000.50 usdc", [2]],
  ["0,012345 USDC", [8]],
  ["25 ETH", []],
  ["25 NONE", []],
  ["0.0123451 USDC", []],
  ["99 USDC", []],
])("the search for %s finds the transactions of that amount", async (text, places) => {
  const path = `/search?q=${encodeURIComponent(text)}`;
  const expected = places.map((place) => ids[place]);
  const found = (answer: { json: () => { data: Row[] } }) => answer.json().data.map(({ id }) => id);
  expect(found(await api.get(path))).toEqual(expected);
  expect(found(await api.admin("GET", path))).toEqual(expected);
  expect(found(await api.get(path, stranger))).toEqual([]);
});
