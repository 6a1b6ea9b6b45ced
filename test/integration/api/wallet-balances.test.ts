import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromPrimary } from "../../../src/domain/business/list-reader.ts";
import { toDecimal } from "../../../src/domain/money/amount.ts";
import { createBusinessLedger } from "../../../src/ledger/business-ledger.ts";
import { nothingCompared, reconcileStep } from "../../../src/watcher/reconcile/reconcile.ts";
import {
  insertKey,
  insertStranger,
  openTestApi,
  type TestApi,
} from "../../support/api/test-api.ts";
import { ether, payer, wallet } from "../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../support/chain/each-chain.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { quiet } from "../../support/quiet.ts";

const stranger = "0x00000000000000000000000000000000000dead1";

const { anvil, proxy } = eachProxiedChain();
const token = eachTestToken(anvil);
let watched: WatchedChain;
let api: TestApi;
let key: string;
let walletId: string;

/** 2 ETH before the wallet is watched, then an ETH and a token deposit in blocks of their own. */
beforeEach(async () => {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens: [token.asset] });
  const ledger = createBusinessLedger(watched.db);
  api = await openTestApi({ ...ledger, readLists: fromPrimary(ledger) });
  key = await insertKey({ db: watched.db, url: "", stop: async () => {} }, watched.businessId);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 2n * ether });
  await anvil.mine(2);
  await watched.catchUp();
  walletId = await watched.addWallet(wallet);
  await anvil.mine(2);
  await watched.catchUp();
  await later();
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether / 2n });
  await later();
  await token.transfer(payer, wallet, 50n);
  await later();
  await anvil.mine(2);
  await watched.catchUp();
});

afterEach(async () => {
  await watched.stop();
  await api.stop();
});

/** No two of the blocks that matter here have one time. */
const later = () => anvil.rpc("evm_increaseTime", 60);

const at = (query: string, of = walletId, as = key) =>
  api.get(`/wallets/${of}/balances${query}`, as);
const amounts = (eth: string | null, tst: string | null) => [
  { asset: "ETH", amount: eth, compared_block: null },
  { asset: "TST", amount: tst, compared_block: null },
];

/** Compares ledger and chain, and answers at which height both are then confirmed. */
async function compare(): Promise<number> {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: quiet };
  await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  return Number((await ledger.readChainState(chainName)).confirmedNumber);
}

const compared = async (of = walletId): Promise<(number | null)[]> =>
  (await at("", of)).json().data.balances.map((one: { compared_block: number | null }) => {
    return one.compared_block;
  });

async function deposits() {
  const rows = await watched.db.transaction.findMany({ orderBy: { blockNumber: "asc" } });
  const [ofCoin, ofToken] = rows;
  if (ofCoin === undefined || ofToken === undefined) throw new Error("There are no deposits.");
  return { ofCoin, ofToken };
}

describe("what a wallet held at a block", () => {
  it("is its balance at the confirmed block where nothing is asked for", async () => {
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    const { hash } = await anvil.block(Number(confirmedNumber));
    expect((await at("")).json().data).toEqual({
      wallet_id: walletId,
      blockchain: watched.chainName,
      block_number: Number(confirmedNumber),
      block_hash: hash,
      balances: amounts("2.5", toDecimal(50n, 6)),
    });
  });

  it("is the chain's own balance at every block since it is watched, and unknown before", async () => {
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    const since = await watched.db.watchChange.aggregate({ _max: { positionNumber: true } });
    const first = Number(since._max.positionNumber);
    const held = async (number: number) => (await at(`?at=${number}`)).json().data.balances;
    for (let number = 0; number < first; number += 1)
      expect(await held(number), `block ${number}`).toEqual(amounts(null, null));
    for (let number = first; number <= Number(confirmedNumber); number += 1) {
      const ofCoin = toDecimal(await anvil.balance(wallet, number), 18);
      const ofToken = toDecimal(await token.balanceOf(wallet, number), 6);
      expect(await held(number), `block ${number}`).toEqual(amounts(ofCoin, ofToken));
    }
    expect(first).toBeGreaterThan(1);
    expect(Number(confirmedNumber)).toBeGreaterThan(first + 2);
  });

  it("is known before it was watched where its history explains the opening", async () => {
    await watched.db.history.create({
      data: {
        walletId,
        chainName: watched.chainName,
        fromNumber: 0n,
        nextNumber: 99n,
        verdict: "agrees",
      },
    });
    expect((await at("?at=0")).json().data.balances).toEqual(amounts("2", "0"));
    await watched.db.history.updateMany({ data: { verdict: "differs" } });
    expect((await at("?at=0")).json().data.balances).toEqual(amounts(null, null));
  });

  it("is that of the newest block at a moment", async () => {
    const { ofCoin, ofToken } = await deposits();
    const time = ofToken.blockTime.toISOString();
    const before = new Date(ofToken.blockTime.getTime() - 1).toISOString();
    expect((await at(`?at=${time}`)).json().data).toMatchObject({
      block_number: Number(ofToken.blockNumber),
      balances: amounts("2.5", toDecimal(50n, 6)),
    });
    expect((await at(`?at=${before}`)).json().data).toMatchObject({
      block_number: Number(ofCoin.blockNumber),
      balances: amounts("2.5", "0"),
    });
  });

  it("says up to which block it was compared with the chain, which a refused comparison leaves as it was", async () => {
    const first = await compare();
    expect(await compared()).toEqual([first, first]);
    const other = await watched.addWallet(stranger);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    await anvil.mine(2);
    await watched.catchUp();
    proxy.misbehave(({ method }) =>
      ["eth_getProof", "eth_getBalance"].includes(method)
        ? { error: { code: -32_000, message: "missing trie node" } }
        : null,
    );
    await compare();
    expect(await compared()).toEqual([first, first]);
    expect(await compared(other)).toEqual([null, null]);

    proxy.misbehave(null);
    await anvil.mine(1);
    await watched.catchUp();
    const last = await compare();
    expect(last).toBeGreaterThan(first);
    expect(await compared()).toEqual([last, last]);
    expect(await compared(other)).toEqual([last, last]);
  });

  it("was compared below an open difference only", async () => {
    const last = await compare();
    const assets = await watched.db.asset.findMany({ where: { code: "TST" } });
    await watched.ledger.recordDiscrepancies(watched.chainName, {
      compared: [],
      discrepancies: assets.map(({ id: assetId }) => ({
        balance: { walletId, assetId },
        at: { number: BigInt(last) },
        since: 3n,

        ledgerAtomic: 50n,
        chainAtomic: 51n,
      })),
    });
    expect(await compared()).toEqual([last, 3]);
  });

  it.each([
    ["a block that is not confirmed", "999999", "at must be a confirmed block"],
    [
      "a moment whose block is not confirmed",
      "2999-01-01",
      "at must be a moment that is confirmed",
    ],
    ["a moment before any known block", "1999-01-01", "none of that time is known"],
    ["something else", "yesterday", "yesterday"],
  ])("is refused for %s", async (_, asked, why) => {
    const response = await at(`?at=${asked}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details[0]).toMatchObject({
      field: "at",
      message: expect.stringContaining(why),
    });
  });

  it("is no one else's to read", async () => {
    const stranger = await insertStranger({ ...api, db: watched.db });
    expect((await at("", walletId, stranger.key)).statusCode).toBe(404);
    expect((await at("", "018f0000-0000-7000-8000-000000000000")).statusCode).toBe(404);
    expect((await at("", "nothing")).statusCode).toBe(404);
  });
});

describe("openings in the history", () => {
  const list = (query: string, as = key) => api.get(`/transactions?${query}`, as);

  it("are shown beside a wallet's transactions where they are asked for", async () => {
    const body = (await list(`wallet_id=${walletId}&openings=true`)).json();
    expect(body.data).toHaveLength(2);
    // Both are of the same block: either may stand first.
    const byAsset = new Map(body.openings.map((one: { asset: string }) => [one.asset, one]));
    expect(body.openings).toHaveLength(2);
    expect(byAsset.get("ETH")).toMatchObject({ kind: "opening", amount: "2" });
    expect(byAsset.get("TST")).toMatchObject({ kind: "opening", amount: "0" });
    for (const query of [`wallet_id=${walletId}`, `wallet_id=${walletId}&openings=false`])
      expect((await list(query)).json()).not.toHaveProperty("openings");
  });

  it("are asked for with a wallet of the business", async () => {
    expect((await list("openings=true")).json().error.details[0]).toMatchObject({
      field: "openings",
    });
    const stranger = await insertStranger({ ...api, db: watched.db });
    expect((await list(`wallet_id=${walletId}&openings=true`, stranger.key)).statusCode).toBe(404);
  });
});
