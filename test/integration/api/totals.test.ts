import { expect, test } from "vitest";
import { createAdministration } from "../../../src/app/operator.ts";
import { faultIn } from "../../../src/domain/fault.ts";
import { totals as totalsVerb } from "../../../src/operator/transaction/totals.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import {
  insertTransaction,
  newWallet,
  type TransactionFixture,
  testChain,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";

const api = eachTestApi();

const january = "month=2026-01";

async function walletOf(fields: Parameters<typeof newWallet>[0] = {}, of = api.businessId) {
  const [added] = await addWallets(api.db, { businessId: of, wallets: [newWallet(fields)] });
  return added?.id ?? "";
}

const tx = (fixture: TransactionFixture) => insertTransaction(api.db, fixture);

async function totals(query: string) {
  const answer = await api.get(`/totals?${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json().data;
}

const none = { count: 0, in: "0", out: "0" };
const unvalued = { usd_in: "0", usd_out: "0", unpriced: 0 };

test("totals are exact, apart for what is confirmed, pending and reversed, and without what was dropped", async () => {
  const walletId = await walletOf();
  const most = 2n ** 255n;
  await tx({ walletId, amountAtomic: most, usdValue: "0.1" });
  await tx({ walletId, amountAtomic: most, usdValue: "0.2" });
  await tx({ walletId, amountAtomic: 1n });
  await tx({ walletId, amountAtomic: 3n, type: "withdrawal" });
  await tx({ walletId, amountAtomic: 2n, type: "fee" });
  await tx({ walletId, amountAtomic: 5n, status: "pending" });
  await tx({ walletId, amountAtomic: 7n, status: "reversed", usdValue: "9" });
  await tx({ walletId, amountAtomic: 11n, status: "dropped" });
  await tx({ walletId, assetCode: "USDC", amountAtomic: 1_500_000n, status: "pending" });
  await tx({ walletId: await walletOf({}, (await insertStranger(api)).businessId) });
  const atto = "0.00000000000000000";
  expect(await totals(january)).toEqual([
    {
      asset: "ETH",
      completed: {
        count: 5,
        in: "115792089237316195423570985008687907853269984665640564039457.584007913129639937",
        out: `${atto}5`,
        usd_in: "0.3",
        // Two went out, and the value of neither is known.
        usd_out: null,
        unpriced: 3,
      },
      pending: { count: 1, in: `${atto}5`, out: "0" },
      reversed: { count: 1, in: `${atto}7`, out: "0" },
    },
    {
      asset: "USDC",
      completed: { ...none, ...unvalued },
      pending: { count: 1, in: "1.5", out: "0" },
      reversed: none,
    },
  ]);
});

test("totals are divided by type, by the wallet's label, and by the chain of a code", async () => {
  const small = [{ code: "ETH", address: "native", decimals: 6, kind: "exact" }] as const;
  const chains = [testChain, { ...testChain, name: "small", chainId: 902, assets: small }];
  await configureChains(api.db, chains, "removed");
  const shop = await walletOf({ label: "shop" });
  const bare = await walletOf();
  const other = await walletOf({ label: "shop", chainName: "small" });
  await tx({ walletId: shop, amountAtomic: 10n ** 18n });
  await tx({ walletId: bare, type: "withdrawal", amountAtomic: 2n * 10n ** 18n });
  await tx({ walletId: other, amountAtomic: 1n });
  const shown = async (query: string, field: string) =>
    (await totals(`${january}&${query}`)).map((row: Record<string, unknown>) => [
      row[field],
      Reflect.get(Object(row["completed"]), "in"),
      Reflect.get(Object(row["completed"]), "out"),
    ]);
  expect(await shown("", "asset")).toEqual([["ETH", "1.000001", "2"]]);
  expect(await shown("by=label", "label")).toEqual([
    [null, "0", "2"],
    ["shop", "1.000001", "0"],
  ]);
  expect(await shown("by=type", "type")).toEqual([
    ["deposit", "1.000001", "0"],
    ["withdrawal", "0", "2"],
  ]);
  expect(await shown("by=blockchain,type", "blockchain")).toEqual([
    ["ethereum", "1", "0"],
    ["ethereum", "0", "2"],
    ["small", "0.000001", "0"],
  ]);
  expect(await shown("label=shop", "asset")).toEqual([["ETH", "1.000001", "0"]]);
  expect(await shown("blockchain=small", "asset")).toEqual([["ETH", "0.000001", "0"]]);
  expect(await shown("type=withdrawal", "asset")).toEqual([["ETH", "0", "2"]]);
  expect(await shown(`wallet_id=${bare}`, "asset")).toEqual([["ETH", "0", "2"]]);
  expect(await shown("asset=USDC", "asset")).toEqual([]);
  const [row] = await totals(january);
  expect(Object.keys(row)).toEqual(["asset", "completed", "pending", "reversed"]);
});

test("an operator has the same on the command line", async () => {
  const walletId = await walletOf({ label: "till" });
  await tx({ walletId, amountAtomic: 5n });
  await tx({ walletId: await walletOf(), amountAtomic: 7n, type: "withdrawal" });
  const by = { name: "tester", via: "cli" as const, address: null };
  const ports = createAdministration(api.db, by, null);
  const shown = (given: object) => totalsVerb.cli?.run(ports, { month: "2026-01", ...given });
  const outcome = await shown({ business: api.businessId, by: "type,label", label: "till" });
  expect(outcome?.answer).toEqual(await totals(`${january}&by=type,label&label=till`));
  expect(outcome?.answer).toMatchObject([{ type: "deposit", label: "till" }]);
  const nobody = await shown({ business: walletId })?.catch((error: unknown) => error);
  expect(faultIn(nobody)?.code).toBe("business_not_found");
});

test("a day and a month are of the time zone, and of a transaction that has moved, those of its block", async () => {
  const walletId = await walletOf();
  const at = (time: string, amountAtomic: bigint) =>
    tx({ walletId, assetCode: "USDC", amountAtomic, blockTime: new Date(time) });
  // In Zürich, the first is of the next day, and the last one of February.
  await at("2026-01-10T23:30:00Z", 1n);
  await at("2026-01-11T22:59:59.999Z", 2n);
  await at("2026-01-31T23:00:00Z", 4n);
  const moved = await at("2026-01-05T12:00:00Z", 8n);
  await api.db.$executeRaw`
    UPDATE transaction SET block_time = '2026-01-11T12:00:00Z' WHERE id = ${moved}::uuid`;
  const sums = async (query: string) =>
    (await totals(query)).map((row: { period: string; completed: { in: string } }) => [
      row.period,
      row.completed.in,
    ]);
  const zone = "time_zone=Europe/Zurich";
  expect(await sums(`${january}&by=day&${zone}`)).toEqual([["2026-01-11", "0.000011"]]);
  expect(await sums(`from=2026-01-01&to=2026-03-01&by=month&${zone}`)).toEqual([
    ["2026-01", "0.000011"],
    ["2026-02", "0.000004"],
  ]);
  expect(await sums(`${january}&by=day`)).toEqual([
    ["2026-01-10", "0.000001"],
    ["2026-01-11", "0.00001"],
    ["2026-01-31", "0.000004"],
  ]);
  // The block that a transaction has left counts no more.
  expect(await sums("from=2026-01-05&to=2026-01-06&by=day")).toEqual([]);
});

test("totals of nobody's names, of no period and of too many parts are refused", async () => {
  const stranger = await walletOf({}, (await insertStranger(api)).businessId);
  for (const [query, status, text] of [
    ["", 400, "month"],
    [`${january}&by=colour`, 400, "by"],
    [`${january}&by=day,month`, 400, "by"],
    [`${january}&type=gift`, 400, "type"],
    [`${january}&asset=DOGE`, 400, "asset"],
    [`${january}&time_zone=Nowhere`, 400, "time_zone"],
    ["from=2024-01-01&to=2026-01-01&by=day", 400, "400 days"],
    [`${january}&wallet_id=${stranger}`, 404, "wallet"],
    [`${january}&blockchain=nowhere`, 404, "nowhere"],
  ] as const) {
    const answer = await api.get(`/totals?${query}`);
    expect([query, answer.statusCode]).toEqual([query, status]);
    expect(answer.json().error.message).toContain(text);
  }
});
