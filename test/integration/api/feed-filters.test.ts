import { expect, test } from "vitest";
import { openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";
import { newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

const api = eachTest(openTestApi, (opened) => opened.stop());

async function walletOf(reference: string | null) {
  const wallet = newWallet({ chainName: "one", reference });
  const { businessId } = api;
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  return { businessId, walletId: added?.id ?? "", address: wallet.address };
}

async function feed(query = "") {
  const answer = await api.get(`/notifications/feed?${query}`);
  const lines = answer.body.split("\n").filter((line) => line !== "");
  const cursor = String(answer.headers["chainbell-cursor"]);
  return { status: answer.statusCode, cursor, lines };
}

test("the feed leaves out what a reader does not want, and its cursor goes on all the same", async () => {
  await configureChains(api.db, [{ ...testChain, name: "one", chainId: 901 }], "removed");
  const chain = await writtenChain(api.db, "one");
  const [shop, other] = [await walletOf("shop-1"), await walletOf(null)];
  await chain.commit([{ ...shop, effectAtomic: 5n }]);
  await chain.commit([{ ...other, effectAtomic: 7n }]);
  await chain.commit([]);
  await chain.commit([]);
  await api.db
    .$executeRaw`UPDATE transaction SET usd_value = 20 WHERE wallet_id = ${shop.walletId}::uuid`;
  const [ofShop, ofOther] = (await feed()).lines;
  const atomic = (units: number) => `0.${String(units).padStart(18, "0")}`;
  const wanted: [query: string, lines: unknown[]][] = [
    ["", [ofShop, ofOther]],
    ["asset=ETH", [ofShop, ofOther]],
    ["asset=eth", [ofShop, ofOther]],
    [`asset=eth&min_amount=${atomic(6)}`, [ofOther]],
    ["asset=USDC", []],
    ["asset=USDC,ETH", [ofShop, ofOther]],
    ["event=transaction.reversed", []],
    ["event=transaction.reversed,transaction.deposit", [ofShop, ofOther]],
    [`wallet_id=${other.walletId}`, [ofOther]],
    [`wallet_id=${other.walletId.toUpperCase()}`, [ofOther]],
    [`wallet_id=${shop.walletId},${other.walletId}`, [ofShop, ofOther]],
    ["reference_prefix=shop-", [ofShop]],
    ["reference_prefix=shop-2", []],
    [`asset=ETH&min_amount=${atomic(5)}`, [ofShop, ofOther]],
    [`asset=ETH&min_amount=${atomic(6)}`, [ofOther]],
    ["min_usd=20", [ofShop, ofOther]],
    ["min_usd=20.01", [ofOther]],
    ["min_usd=20.01&reference_prefix=shop-", []],
  ];
  const { cursor } = await feed();
  for (const [query, lines] of wanted)
    expect(await feed(query)).toMatchObject({ status: 200, lines, cursor });
  for (const query of [
    "min_amount=1",
    "asset=ETH,USDC&min_amount=1",
    "wallet_id=1",
    "asset=,",
    "asset=NOPE",
    "asset=ETH&min_amount=-1",
    "min_usd=much",
  ])
    expect((await feed(query)).status).toBe(400);
  const wallets = (count: number) => Array(count).fill(shop.walletId).join();
  expect((await feed(`wallet_id=${wallets(100)}`)).lines).toEqual([ofShop]);
  expect((await feed(`wallet_id=${wallets(101)}`)).status).toBe(400);
});
