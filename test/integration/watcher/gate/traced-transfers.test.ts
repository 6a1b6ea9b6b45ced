import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WitnessPolicy } from "../../../../src/domain/chain/confirmation.ts";
import { nativeAddress } from "../../../../src/domain/money/movement.ts";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { type Contract, deploy } from "../../../support/chain/money-contracts.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";
import { archiveWallet, configureChains } from "../../../support/ledger/steps.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const stranger = "0x00000000000000000000000000000000000dead1";
const patienceMs = 600_000;

const { anvil, proxy } = eachProxiedChain();
let second: RpcProxy;
let watched: WatchedChain;
let disperse: Contract;
let clock: ReturnType<typeof createSkippingClock>;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  second = await startRpcProxy(anvil.rpcUrl);
  disperse = await deploy(anvil, "Disperse");
  clock = createSkippingClock();
  kept = keepingLog();
});

afterEach(async () => {
  await watched.stop();
  await second.stop();
});

async function watch(
  urls = [proxy.url, second.url],
  count = 2,
  mode: WitnessPolicy["mode"] = "prefer",
): Promise<string> {
  watched = await watchChain({
    rpcUrl: proxy.url,
    rpcUrls: urls,
    depth: 2,
    clock,
    log: kept.log,
    witness: { patienceMs, count, mode },
  });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  return walletId;
}

const isTrace = (method: string) => method === "debug_traceBlockByHash";
const isAnyTrace = (method: string) => isTrace(method) || method === "trace_block";

type Traced = { result: { calls?: object[] } };

/** Says something else of each internal transfer. */
const changingInner =
  (change: object): Misbehave =>
  async ({ method }, forward) => {
    if (!isTrace(method)) return null;
    const traces = (await forward()) as Traced[];
    return {
      result: traces.map(({ result, ...trace }) => {
        const calls = result.calls?.map((frame) => ({ ...frame, ...change }));
        return { ...trace, result: { ...result, ...(calls === undefined ? {} : { calls }) } };
      }),
    };
  };

const refusing =
  (isMeant: (method: string) => boolean, message: string, code = -32_000): Misbehave =>
  ({ method }) =>
    isMeant(method) ? { error: { code, message } } : null;

const isOfState = (method: string) => method === "eth_getProof" || method === "eth_getBalance";

/** A contract pays the wallet 5; beside it, in the same block, somebody pays it 7 without one. */
async function pay(): Promise<void> {
  await anvil.setAutomine(false);
  await disperse.send(payer, "disperse", [[wallet], [5n]], 5n);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
  await anvil.mine(1);
  await anvil.setAutomine(true);
  await anvil.mine(2);
}

async function addAgain(walletId: string): Promise<void> {
  await archiveWallet(watched.db, walletId);
  await watched.addWallet(wallet);
  await anvil.mine(2);
}

async function configureAgain(): Promise<void> {
  const coin = { code: "ETH", address: nativeAddress, decimals: 18, kind: "exact" } as const;
  for (const assets of [[], [coin]])
    await configureChains(
      watched.db,
      [{ name: watched.chainName, chainId: 31_337, assets }],
      "removed",
    );
}

const rows = async () => {
  const found = await watched.db.transaction.findMany({ orderBy: { amount: "asc" } });
  return found.map(({ amount, status, fromAddress, proof }) => {
    const from = fromAddress === disperse.address.toLowerCase() ? "contract" : fromAddress;
    return [Number(amount), status, from, proof];
  });
};

const paidByHand = [7, "completed", payer.toLowerCase(), "root"];

describe("who paid by a contract", () => {
  it("is agreed where two hosts trace it alike, and the other host is asked for no other block", async () => {
    await watch();
    await pay();
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "agreed"], paidByHand]);
    second.calls.length = 0;
    await pay();
    await watched.catchUp();
    expect(second.calls.filter(isTrace)).toHaveLength(1);
  });

  it("waits while another host shows another one, and is corrected once two show the same", async () => {
    await watch();
    proxy.misbehave(changingInner({ from: stranger }));
    await pay();
    await watched.catchUp();
    clock.skip(10 * patienceMs);
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "pending", stranger, "answered"], paidByHand]);
    expect(await watched.db.notification.count()).toBe(1);
    expect(watched.gate.held()).toMatchObject({ what: "trace", why: "disputed" });

    proxy.misbehave(null);
    await watched.catchUp();
    expect(await rows()).toEqual([
      [5, "dropped", stranger, "answered"],
      [5, "completed", "contract", "agreed"],
      paidByHand,
    ]);
    await watched.catchUp();
    expect(watched.gate.held()).toBeNull();
  });

  it("waits until as many hosts show the same as are asked for", async () => {
    const third = await startRpcProxy(anvil.rpcUrl);
    try {
      await watch([proxy.url, second.url, third.url], 3);
      third.misbehave(refusing(isTrace, "busy"));
      await pay();
      await watched.catchUp();
      expect(await rows()).toEqual([[5, "pending", "contract", "answered"], paidByHand]);
      third.misbehave(null);
      await watched.catchUp();
      expect(await rows()).toEqual([[5, "completed", "contract", "agreed"], paidByHand]);
    } finally {
      await third.stop();
    }
  });

  it("waits for a host that says nothing as long as for any word, and is then the word of one", async () => {
    await watch();
    second.misbehave(refusing(isTrace, "busy"));
    await pay();
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "pending", "contract", "answered"], paidByHand]);
    clock.skip(patienceMs + 60_000);
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "answered"], paidByHand]);
    expect(await watched.db.transaction.count({ where: { confirmedAlone: true } })).toBe(1);
  });

  it("waits for that host by itself: a newcomer is not settled with the oldest", async () => {
    await watch();
    second.misbehave(refusing(isTrace, "busy"));
    await pay();
    await watched.catchUp();
    clock.skip(patienceMs - 60_000);
    await pay();
    await watched.catchUp();
    clock.skip(120_000);
    await watched.catchUp();
    const told = async () => {
      const paid = await watched.db.transaction.findMany({
        where: { amount: 5 },
        orderBy: { id: "asc" },
      });
      return paid.map(({ status, confirmedAlone }) => [status, confirmedAlone]);
    };
    expect(await told()).toEqual([
      ["completed", true],
      ["pending", false],
    ]);
    clock.skip(patienceMs);
    await watched.catchUp();
    expect(await told()).toEqual([
      ["completed", true],
      ["completed", true],
    ]);
  });

  it("is agreed late where the other host is a moment behind", async () => {
    await watch();
    second.misbehave(({ method }) => (isTrace(method) ? { result: null } : null));
    await pay();
    await watched.catchUp();
    second.misbehave(null);
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "agreed"], paidByHand]);
  });

  it.each([
    ["agreed by two hosts that trace in two ways", isTrace, "agreed"],
    ["the word of one where the other host does not trace", isAnyTrace, "answered"],
  ])("is %s", async (_, isMissing, proof) => {
    second.misbehave(refusing(isMissing, "the method does not exist", -32_601));
    await watch();
    await pay();
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", proof], paidByHand]);
  });

  it.each<[string, (walletId: string) => Promise<unknown>]>([
    ["the wallet is archived", (walletId) => archiveWallet(watched.db, walletId)],
    ["the wallet is removed and added again", addAgain],
    ["the coin is left out and configured again", configureAgain],
  ])("is agreed late though %s meanwhile", async (_, change) => {
    const walletId = await watch();
    second.misbehave(refusing(isTrace, "busy"));
    await pay();
    await watched.catchUp();
    await change(walletId);
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "pending", "contract", "answered"], paidByHand]);
    second.misbehave(null);
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "agreed"], paidByHand]);
    expect(await watched.db.notification.count()).toBe(2);
  });

  it("is believed where the balances refute the other host", async () => {
    await watch();
    second.misbehave(changingInner({ value: "0x6" }));
    await pay();
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "answered"], paidByHand]);
  });
});

describe("what a contract paid, where no endpoint has the balances of its block", () => {
  it("waits for them as long as for any word; what the block's hash covers does not", async () => {
    await watch([proxy.url]);
    proxy.misbehave(refusing(isOfState, "missing trie node"));
    await pay();
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "pending", "contract", "answered"], paidByHand]);
    clock.skip(20_000);
    await watched.catchUp();
    expect(watched.gate.held()).toMatchObject({ what: "state", why: "silent" });
    clock.skip(patienceMs);
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "answered"], paidByHand]);
  });

  it("waits for ever where a second host has to say the same, and none has it", async () => {
    await watch([proxy.url, second.url], 2, "required");
    proxy.misbehave(refusing(isOfState, "missing trie node"));
    second.misbehave(
      refusing((method) => isOfState(method) || isAnyTrace(method), "gone", -32_601),
    );
    await pay();
    await watched.catchUp();
    clock.skip(10 * patienceMs);
    await watched.catchUp();
    expect((await rows())[0]).toEqual([5, "pending", "contract", "answered"]);
  });

  it("is confirmed at once where two hosts trace it alike", async () => {
    await watch();
    for (const one of [proxy, second]) one.misbehave(refusing(isOfState, "missing trie node"));
    await pay();
    await watched.catchUp();
    expect(await rows()).toEqual([[5, "completed", "contract", "agreed"], paidByHand]);
  });
});

describe("a wallet's history", () => {
  /** What a contract paid before the wallet was watched, read from there. */
  async function watchAfterwards(
    urls: string[],
    misbehave: Misbehave,
  ): Promise<() => Promise<string>> {
    await pay();
    await anvil.mine(3);
    watched = await watchChain({
      rpcUrl: proxy.url,
      rpcUrls: urls,
      depth: 2,
      clock,
      log: kept.log,
      witness: { patienceMs },
    });
    await watched.catchUp();
    await watched.addWallet(wallet, "deposit", watched.businessId, 1n);
    await anvil.mine(3);
    await watched.catchUp();
    proxy.misbehave(misbehave);
    const { chain, rounds, ledger, oldBlocks } = watched;
    const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: kept.log };
    return async () => (await fillHistory(ports, watched.chainName)).kind;
  }

  const filled = [[5, "completed", "contract", "agreed"], paidByHand];

  it("waits while another host shows another payer, and has who paid once both show the same", async () => {
    const fill = await watchAfterwards([proxy.url, second.url], changingInner({ from: stranger }));
    expect(await fill()).toBe("not_shown");
    clock.skip(10 * patienceMs);
    expect(await fill()).toBe("not_shown");
    expect(await rows()).toEqual([]);
    expect(watched.gate.held()).toMatchObject({ what: "history", why: "disputed" });
    proxy.misbehave(null);
    expect(await fill()).toBe("read");
    expect(await rows()).toEqual(filled);
    expect(watched.gate.held()).toBeNull();
  });

  it("is not written while the balances at its ends show another amount, the only endpoint's own too", async () => {
    const fill = await watchAfterwards([proxy.url], changingInner({ value: "0x6" }));
    expect(await fill()).toBe("not_shown");
    expect(await rows()).toEqual([]);
    proxy.misbehave(null);
    expect(await fill()).toBe("read");
    expect(await rows()).toEqual([[5, "completed", "contract", "answered"], paidByHand]);
  });
});
