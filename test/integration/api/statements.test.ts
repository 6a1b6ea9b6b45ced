import { expect, test } from "vitest";
import { verifyStatement } from "../../../scripts/statement/verify.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertBusiness, newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

const api = eachTestApi();

const always = "from=2020-01-01&to=2100-01-01";

async function chainOf(name: string, chainId: number, coinDecimals: number) {
  const assets = [
    { code: "ETH", address: "native", decimals: coinDecimals, kind: "exact" },
  ] as const;
  await configureChains(api.db, [{ ...testChain, name, chainId, assets }], "removed");
  return writtenChain(api.db, name);
}

async function walletOf(businessId: string, chainName: string, label: string) {
  const wallet = newWallet({ chainName, label, reference: `customer-${label}` });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  return { businessId, walletId: added?.id ?? "", address: wallet.address };
}

async function statement(query: string) {
  const answer = await api.get(`/statements?${query}`);
  const texts = answer.body.split(/\r?\n/).slice(0, -1);
  return { status: answer.statusCode, type: answer.headers["content-type"], texts };
}

const linesOf = (texts: readonly string[]): Record<string, unknown>[] =>
  texts.map((text) => JSON.parse(text));

test("a business has a statement of its own wallets alone, over its chains, at the larger decimals", async () => {
  const { businessId } = api;
  const one = await chainOf("one", 901, 18);
  const two = await chainOf("two", 902, 6);
  const mine = await walletOf(businessId, "one", "mine");
  const other = await walletOf(businessId, "two", "other");
  const stranger = await walletOf(await insertBusiness(api.db, "Others Ltd"), "one", "mine");
  for (let block = 0; block < 4; block += 1) {
    await one.commit([mine, stranger, mine]);
    await two.commit([other]);
  }
  const { status, type, texts } = await statement(always);
  expect([status, type]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
  const [key] = await listSigningKeys(api.db);
  const verdict = await verifyStatement(texts, key?.publicKey ?? null);
  expect(verdict).toMatchObject({ entries: 6, holdings: 2, wrong: [] });
  expect(verdict.missing).toContain("one: the end of the period");
  expect(texts.join()).not.toContain(stranger.walletId);
  expect(linesOf(texts).filter(({ line }) => line === "total")).toMatchObject([
    { blockchain: "one", closing: "0.000000000000000004", by_type: { deposit: expect.anything() } },
    { blockchain: "two", closing: "0.000002" },
    { blockchain: null, asset: "ETH", decimals: 18, closing: "0.000002000000000004", entries: 6 },
  ]);
  for (const [filter, entries] of [
    ["label=other", 2],
    ["reference_prefix=customer-m", 4],
    ["reference_prefix=stranger", 0],
    ["blockchain=one", 4],
    [`wallet_id=${other.walletId}`, 2],
    ["asset=USDC", 0],
  ] as const) {
    const part = await statement(`${always}&${filter}`);
    expect(await verifyStatement(part.texts, null)).toMatchObject({ entries, wrong: [] });
  }
  const table = await statement(`${always}&format=csv`);
  expect(table.type).toBe("text/csv; charset=utf-8");
  expect(table.texts).toHaveLength(texts.length + 1);
  expect(table.texts.filter((row) => row.startsWith("entry,"))).toHaveLength(6);
});

test("a statement is refused before its first line, and never of another's wallet", async () => {
  const stranger = await walletOf(await insertBusiness(api.db), "ethereum", "theirs");
  const gone = await api.get(`/statements?${always}&wallet_id=${stranger.walletId}`);
  expect(gone.statusCode).toBe(404);
  expect(gone.json().error.code).toBe("wallet_not_found");
  for (const query of ["", "month=2026-13", "from=2026-01-01", `${always}&asset=DOGE`])
    expect((await statement(query)).status).toBe(400);
  const nowhere = (await api.get("/statements?month=2026-10&time_zone=Nowhere")).json();
  expect(nowhere.error.message).toContain("time_zone");
  const noChain = (await api.get(`/statements?${always}&blockchain=nowhere`)).json();
  expect(noChain.error.code).toBe("chain_not_found");
  expect(linesOf((await statement("month=2026-10")).texts).map(({ line }) => line)).toEqual([
    "statement",
    "count",
    "end",
  ]);
});
