import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import type { Misbehave, ProxiedCall } from "../../../support/chain/rpc-proxy.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { struggle } from "../../../support/fault-steps.ts";
import { quiet } from "../../../support/quiet.ts";
import { waitFor } from "../../../support/wait-for.ts";

const other = "0x00000000000000000000000000000000000b0b00";
const third = "0x00000000000000000000000000000000000b0b01";
const gone = { error: { code: -32_000, message: "missing trie node" } };
const isTrace = ({ method }: { method: string }) => method === "debug_traceBlockByHash";

const isWhole = ({ method, params }: ProxiedCall) =>
  method === "eth_getBlockByNumber" && params[1] === true;

/** True if a call asks about the block. */
type Asks = (call: ProxiedCall, block: { number: bigint; hash: string }) => boolean;

const header: Asks = ({ method, params }, { number }) =>
  method === "eth_getBlockByNumber" && params[0] === `0x${number.toString(16)}`;
const state: Asks = ({ method, params }, { hash }) =>
  ["eth_getBalance", "eth_getProof"].includes(method) && JSON.stringify(params).includes(hash);

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

async function watch(): Promise<string> {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
  await watched.catchUp();
  return openWallet(watched, anvil);
}

type Trace = { result: { to?: string } };

/** Who is paid is shown to get seven ether more, which never were. */
const inventing: Misbehave = async (call, forward) => {
  if (!isTrace(call)) return null;
  const traces = (await forward()) as Trace[];
  const value = `0x${(7n * ether).toString(16)}`;
  const frame = { type: "CALL", from: payer, value, gas: "0x0", gasUsed: "0x0", input: "0x" };
  return {
    result: traces.map((one) => ({
      ...one,
      result: { ...one.result, calls: [{ ...frame, to: one.result.to }] },
    })),
  };
};

/** An ether is paid, and the endpoint shows seven more. Answers the hash of that block. */
async function payBesideInvention(to: string): Promise<string> {
  proxy.misbehave(inventing);
  await anvil.sendNative({ from: payer, to, amountAtomic: ether });
  const { hash } = await anvil.block(Number(await anvil.blockNumber()));
  await anvil.mine(2);
  await watched.catchUp();
  return hash;
}

const statuses = async (walletId: string) =>
  (await watched.history(walletId)).map(({ amountAtomic, status }) => [
    amountAtomic / ether,
    status,
  ]);

const held = [
  [1n, "pending"],
  [7n, "pending"],
];
const mended = [
  [1n, "completed"],
  [7n, "dropped"],
];

async function differ(): Promise<void> {
  await watch();
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await anvil.mine(2);
  await watched.catchUp();
  await anvil.setBalance(wallet, 3n * ether);
  await anvil.mine(3);
  await watched.catchUp();
}

async function findings(): Promise<string[]> {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: quiet };
  const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.progress.findings.map((one) => one.outcome);
}

describe("a block whose traces no endpoint has any more", () => {
  it("hides no difference: what it may hold stays a discrepancy", async () => {
    await differ();
    proxy.misbehave((call) => (isTrace(call) ? gone : null));
    expect(await findings()).toEqual(["discrepancy"]);
    expect(await watched.db.discrepancy.count()).toBe(1);
  });

  it("hides no difference where no endpoint has the whole block either", async () => {
    await differ();
    proxy.misbehave((call) => (isWhole(call) ? { result: null } : null));
    expect(await findings()).toEqual(["discrepancy"]);
    expect(await watched.db.discrepancy.count()).toBe(1);
  });

  it("is asked for again where the endpoint only fails now", async () => {
    await differ();
    proxy.misbehave((call) => (isTrace(call) ? "drop" : null));
    await expect(findings()).rejects.toMatchObject({ code: "rpc_unavailable" });
    expect(await watched.db.discrepancy.count()).toBe(0);
  });

  it.each(["gone", "failing"])("keeps no other held deposit waiting (%s)", async (how) => {
    const first = await watch();
    const second = await openWallet(watched, anvil, other);
    const hash = await payBesideInvention(wallet);
    await payBesideInvention(other);
    expect([await statuses(first), await statuses(second)]).toEqual([held, held]);

    const answer = how === "gone" ? gone : "drop";
    proxy.misbehave((call) => (isTrace(call) && call.params[0] === hash ? answer : null));
    await watched.balancesStep();
    expect([await statuses(first), await statuses(second)]).toEqual([held, mended]);

    proxy.misbehave(null);
    await watched.balancesStep();
    expect(await statuses(first)).toEqual(mended);
  });
});

describe("a block of which a held deposit waits", () => {
  it.each([
    ["and that no endpoint has any more", header, { result: null }],
    ["where every endpoint fails", header, "drop"],
    ["of which every endpoint fails to give the state", state, "drop"],
  ] as const)("%s, keeps nothing else waiting", async (_, asks, answer) => {
    const first = await watch();
    const second = await openWallet(watched, anvil, other);
    const hash = await payBesideInvention(wallet);
    const { blockNumber: number } = await watched.db.transaction.findFirstOrThrow();
    await payBesideInvention(other);
    expect([await statuses(first), await statuses(second)]).toEqual([held, held]);

    await watched.addWallet(third);
    await anvil.mine(3);
    proxy.misbehave((call) => (asks(call, { number, hash }) ? answer : null));
    await watched.catchUp();
    expect([await statuses(first), await statuses(second)]).toEqual([held, mended]);
    expect(await watched.db.balance.count({ where: { opening: null } })).toBe(0);

    proxy.misbehave(null);
    await watched.balancesStep();
    expect(await statuses(first)).toEqual(mended);
  });
});

describe("the block in which a wallet was added", () => {
  const pruned = { error: { code: 4_444, message: "pruned history unavailable" } };

  beforeEach(() => anvil.mine(3));

  it.each([
    ["refuses", pruned],
    ["does not have", { result: null }],
  ] as const)("hides no difference where every endpoint %s it", async (_, answer) => {
    await differ();
    const { positionNumber } = await watched.db.watchChange.findFirstOrThrow({
      where: { addedWallets: { some: {} } },
    });
    const opening = { number: positionNumber ?? 0n, hash: "" };
    proxy.misbehave((call) => (header(call, opening) ? answer : isTrace(call) ? gone : null));
    expect(await findings()).toEqual(["discrepancy"]);
    expect(await watched.db.discrepancy.count()).toBe(1);
  });

  it("keeps no other opening waiting where every endpoint fails to give its state", async () => {
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
    await watched.catchUp();
    const { hash } = await anvil.block(Number(await anvil.blockNumber()));
    proxy.misbehave((call) => (state(call, { number: 0n, hash }) ? "drop" : null));
    await watched.addWallet(wallet);
    await anvil.mine(1);
    await struggle(watched, 1);
    await watched.addWallet(other);
    await anvil.mine(3);
    await struggle(watched, 1);
    expect(await watched.db.balance.count({ where: { opening: null } })).toBe(1);
    proxy.misbehave(null);
    await watched.catchUp();
    expect(await watched.db.balance.count({ where: { opening: null } })).toBe(0);
  });
});

describe("held deposits", () => {
  it("are compared again while openings of an import go on", async () => {
    const walletId = await watch();
    await payBesideInvention(wallet);
    expect(await statuses(walletId)).toEqual(held);

    proxy.misbehave(null);
    const going = { assetCode: "TST", wallets: 1_000_000, opened: 1 };
    const asset = { id: 1, code: "TST", chainName: watched.chainName, changeId: "", after: "" };
    const watcher = watched.newWatcher(async () => true, {
      readNextBalances: async () => ({ asset, due: [], after: null }),
      makeBalances: async () => going,
    });
    await watcher.start();
    try {
      await waitFor(async () => (await statuses(walletId))[1]?.[1] === "dropped", {
        what: "the invented deposit is dropped",
        timeoutMs: 20_000,
      });
    } finally {
      // Before its database is closed.
      await watcher.stop();
    }
    expect(await statuses(walletId)).toEqual(mended);
  });
});
