import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { nativeAddress } from "../../../../src/domain/money/movement.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachProxy } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";
import { addWallets, configureChains } from "../../../support/ledger/steps.ts";
import type { WatchOptions } from "../../../support/ledger/watch-in-ledger.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

// More than one step reads: 100 openings, 256 changes that wait for their proof.

/** Reverts, whatever is called. */
const failing = "0x60006000fd";
const broken = { code: "BRK", address: `0x${"b".repeat(40)}`, decimals: 6 };
const coin = { code: "ETH", address: nativeAddress, decimals: 18, kind: "exact" } as const;
const unsupported = { error: { code: -32_601, message: "method not found" } };
const patienceMs = 600_000;

const { anvil, proxy } = eachProxiedChain();
const second = eachProxy(anvil);
let watched: WatchedChain;
let clock: ReturnType<typeof createSkippingClock>;
let kept: ReturnType<typeof keepingLog>;

beforeEach(() => {
  clock = createSkippingClock();
  kept = keepingLog();
});

afterEach(() => watched.stop());

async function watch(options: Partial<WatchOptions>): Promise<void> {
  const witness = { patienceMs };
  const log = kept.log;
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, clock, log, witness, ...options });
  await watched.catchUp();
}

const addressOf = (n: number) => parseAddress(`0xe${n.toString(16).padStart(39, "0")}`);
const isImported = (address: unknown) => String(address).startsWith(addressOf(0).slice(0, 30));

/** In one change of the watchlist. */
async function importWallets(count: number): Promise<void> {
  const { db, businessId, chainName } = watched;
  const wallets = Array.from({ length: count }, (_, n) => ({
    chainName,
    address: addressOf(n),
    purpose: "deposit" as const,
    label: null,
    reference: null,
    fromBlock: null,
  }));
  await addWallets(db, { businessId, wallets });
}

const unread = (code: string) =>
  watched.db.balance.count({ where: { opening: null, asset: { code } } });

const said = (message: string) => kept.lines.filter((line) => line.message === message).length;

describe("more openings than a step reads, which are never read", () => {
  it("keep none behind them waiting where a token's contract fails", async () => {
    await anvil.rpc("anvil_setCode", broken.address, failing);
    await watch({ tokens: [broken] });
    await importWallets(102);
    await anvil.mine(3);
    await watched.catchUp();
    expect([await unread("ETH"), await unread("BRK")]).toEqual([0, 102]);
    await watched.addWallet(wallet);
    await anvil.mine(3);
    await watched.catchUp();
    await watched.balancesStep();
    expect([await unread("ETH"), await unread("BRK")]).toEqual([0, 103]);
  });

  it("keep no added asset waiting for its balances", async () => {
    await anvil.rpc("anvil_setCode", broken.address, failing);
    await watch({ tokens: [broken] });
    await importWallets(102);
    await anvil.mine(3);
    await watched.catchUp();
    const { db, chainName: name } = watched;
    const other = { ...broken, code: "OTH", address: `0x${"c".repeat(40)}` };
    const tokens = [broken, other].map((one) => ({
      ...one,
      address: parseAddress(one.address),
      kind: "exact" as const,
    }));
    await configureChains(db, [{ name, chainId: 31_337, assets: [coin, ...tokens] }], "removed");
    await anvil.mine(3);
    await watched.catchUp();
    await watched.balancesStep();
    expect(await watched.db.balance.count({ where: { asset: { code: "OTH" } } })).toBe(102);
  });

  it("do not stop the patience with the others, and are held throughout", async () => {
    await watch({ rpcUrls: [proxy.url, second.url] });
    const refuse: Misbehave = ({ method }) => (method === "eth_getProof" ? unsupported : null);
    proxy.misbehave(async (call, forward) => {
      const isLie = call.method === "eth_getBalance" && isImported(call.params[0]);
      if (!isLie) return refuse(call, forward);
      return { result: `0x${(BigInt(String(await forward())) + 7n).toString(16)}` };
    });
    second.misbehave((call, forward) => {
      const isSilent = call.method === "eth_getBalance" && call.params[0] === wallet;
      return isSilent ? "drop" : refuse(call, forward);
    });
    await importWallets(102);
    await anvil.mine(1);
    await watched.catchUp();
    await watched.addWallet(wallet);
    await anvil.mine(3);
    await watched.catchUp();
    await watched.balancesStep();
    expect(await unread("ETH")).toBe(103);
    for (let step = 0; step < 4; step += 1) {
      clock.skip(patienceMs / 2);
      expect(watched.gate.held()).toMatchObject({ what: "opening", why: "disputed" });
      await watched.balancesStep();
    }
    expect(await unread("ETH")).toBe(102);
    expect([said("chain.held"), said("chain.released")]).toEqual([1, 0]);
  });
});

describe("more changes than a step compares, which never find their proof", () => {
  it("keep none behind them waiting", async () => {
    await watch({ rpcUrls: [proxy.url, second.url] });
    const disperse = await deploy(anvil, "Disperse");
    await importWallets(256);
    await watched.addWallet(wallet);
    await anvil.mine(3);
    await watched.catchUp();
    let isOfAll = true;
    proxy.misbehave(lyingOfPayers((calls) => isOfAll || calls.length > 1));
    for (let first = 0; first < 256; first += 64) {
      const some = Array.from({ length: 64 }, (_, n) => addressOf(first + n));
      await disperse.send(payer, "disperse", [some, some.map(() => 1n)], 64n);
    }
    await disperse.send(payer, "disperse", [[wallet], [5n]], 5n);
    await anvil.mine(3);
    await watched.catchUp();
    const pending = () => watched.db.transaction.count({ where: { status: "pending" } });
    expect(await pending()).toBe(257);
    isOfAll = false;
    await watched.balancesStep();
    await watched.balancesStep();
    expect(await pending()).toBe(256);
    expect(watched.gate.held()).toMatchObject({ what: "trace", why: "disputed" });
  });
});

type Traced = { result: { calls?: object[] } };

/** Says in the traces that somebody else has paid. */
function lyingOfPayers(isMeant: (calls: readonly object[]) => boolean): Misbehave {
  return async ({ method }, forward) => {
    if (method !== "debug_traceBlockByHash") return null;
    const traces = (await forward()) as Traced[];
    return {
      result: traces.map(({ result, ...trace }) => {
        const { calls = [] } = result;
        if (calls.length === 0 || !isMeant(calls)) return { ...trace, result };
        const from = "0x00000000000000000000000000000000000dead1";
        return { ...trace, result: { ...result, calls: calls.map((one) => ({ ...one, from })) } };
      }),
    };
  };
}
