import { describe, expect, it } from "vitest";
import type { TracingChoice } from "../../../../src/domain/chain/block-proof.ts";
import type { WitnessPolicy } from "../../../../src/domain/chain/confirmation.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachProxy } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { struggle } from "../../../support/fault-steps.ts";
import { eachRestarted } from "../../../support/ledger/each-restarted.ts";
import type { WatchedChain } from "../../../support/ledger/watch-in-ledger.ts";
import { quiet } from "../../../support/quiet.ts";

const patienceMs = 600_000;
const stranger = "0x00000000000000000000000000000000000dead1";

const { anvil, proxy: first } = eachProxiedChain();
const second = eachProxy(anvil);
const ledger = eachRestarted();

const start = (
  endpoints: RpcProxy[],
  { mode = "prefer", tracing = "auto" }: { mode?: WitnessPolicy["mode"]; tracing?: TracingChoice },
) => ledger.watch(endpoints, { tracing, witness: { patienceMs, mode } });

const isTrace = (method: string) => method === "debug_traceBlockByHash";
const isOfState = (method: string) => method === "eth_getProof" || method === "eth_getBalance";

const refusing =
  (isMeant: (method: string) => boolean, message: string, code = -32_000): Misbehave =>
  ({ method }) =>
    isMeant(method) ? { error: { code, message } } : null;

const withoutState = refusing(isOfState, "missing trie node");
const withoutProofs = refusing((method) => method === "eth_getProof", "method not found", -32_601);
const silent: Misbehave = refusing(() => true, "busy");

/** An internal payment of 7 to the wallet, in whatever anybody sends. */
const inventing: Misbehave = async ({ method }, forward) => {
  if (!isTrace(method)) return null;
  const traces = (await forward()) as { result: { calls?: object[] } }[];
  const call = { type: "CALL", from: stranger, to: wallet, value: "0x7", gas: "0x0", input: "0x" };
  return {
    result: traces.map(({ result, ...trace }) => ({
      ...trace,
      result: { ...result, calls: [...(result.calls ?? []), { ...call, gasUsed: "0x0" }] },
    })),
  };
};

const both =
  (...all: Misbehave[]): Misbehave =>
  async (call, forward) => {
    for (const one of all) {
      const chosen = await one(call, forward);
      if (chosen !== null) return chosen;
    }
    return null;
  };

async function watchWallet(watched: WatchedChain): Promise<void> {
  await watched.catchUp();
  await watched.addWallet(wallet);
  await anvil.mine(2);
  await watched.catchUp();
}

/** A payment of 5 that the block's hash covers, beside which the first endpoint invents one of 7. */
async function payAndWait(watched: WatchedChain): Promise<void> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await passTime(watched);
}

/** Longer than anybody is waited for. */
async function passTime(watched: WatchedChain): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await anvil.mine(2);
    await struggle(watched, 1);
    ledger.clock.skip(patienceMs + 60_000);
  }
}

async function reconcile({ chain, ledger, oldBlocks, chainName }: WatchedChain): Promise<string[]> {
  const of = { chainName, walletIds: null };
  const ports = { chain, ledger, oldBlocks, log: quiet };
  const outcome = await reconcileStep(ports, of, nothingCompared);
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.progress.findings.map((one) => one.outcome);
}

const rows = async () =>
  (await ledger.db.transaction.findMany({ orderBy: { amount: "asc" } })).map((row) => [
    Number(row.amount),
    row.type,
    row.status,
  ]);
const settled = [
  [5, "deposit", "completed"],
  [7, "deposit", "completed"],
];
const reversed = [
  [5, "deposit", "completed"],
  [7, "deposit", "reversed"],
];

const balance = async () => Number((await ledger.db.balance.findFirstOrThrow()).confirmed);
const notified = async () =>
  (await ledger.db.notification.findMany({ orderBy: { createdAt: "asc" } })).map(
    ({ state }) => state,
  );

describe("what the only endpoint invented, and patience has settled", () => {
  async function settle(): Promise<WatchedChain> {
    const watched = await start([first], {});
    await watchWallet(watched);
    first.misbehave(both(inventing, withoutState));
    await payAndWait(watched);
    expect(await rows()).toEqual(settled);
    expect(await ledger.db.transaction.count({ where: { confirmedAlone: true } })).toBe(1);
    return watched;
  }

  it.each([
    ["that endpoint goes on showing it", inventing],
    ["that endpoint shows it no longer", null],
  ])("is reversed once the state's proof refutes it, though %s", async (_, misbehave) => {
    const watched = await settle();
    first.misbehave(misbehave);
    await anvil.mine(1);
    await struggle(watched, 1);
    expect(await reconcile(watched)).toEqual(["found"]);
    expect(await rows()).toEqual(reversed);
    expect(await balance()).toBe(5);
    expect(await notified()).toEqual(["confirmed", "confirmed", "reversed"]);
    expect(await reconcile(watched)).toEqual([]);
    expect(await rows()).toEqual(reversed);
  });

  it("is reversed also where the chain is read without traces by now, and nothing is unattributed", async () => {
    const before = await settle();
    await before.stop();
    first.misbehave(null);
    const watched = await start([first], { tracing: "off" });
    await struggle(watched, 1);
    expect(await reconcile(watched)).toEqual(["found"]);
    expect(await rows()).toEqual(reversed);
    expect(await balance()).toBe(5);
  });

  it("is not balanced by what a contract has paid in that very block, which is unattributed", async () => {
    const watched = await start([first], {});
    const disperse = await deploy(anvil, "Disperse");
    await watchWallet(watched);
    // It invents one payment of 7, and hides the one of 3 that there is.
    const instead: Misbehave = async ({ method }, forward) => {
      if (!isTrace(method)) return null;
      const traces = (await forward()) as { result: { calls?: object[] } }[];
      const change = { from: stranger, to: wallet, value: "0x7" };
      return {
        result: traces.map(({ result, ...trace }) => ({
          ...trace,
          result: { ...result, calls: result.calls?.map((one) => ({ ...one, ...change })) ?? [] },
        })),
      };
    };
    first.misbehave(both(instead, withoutState));
    await disperse.send(payer, "disperse", [[wallet], [3n]], 3n);
    await passTime(watched);
    expect(await rows()).toEqual([[7, "deposit", "completed"]]);
    await watched.stop();

    first.misbehave(null);
    const again = await start([first], { tracing: "off" });
    await struggle(again, 1);
    expect(await reconcile(again)).toEqual(["unattributed"]);
    expect(await rows()).toEqual([
      [3, "unattributed", "completed"],
      [7, "deposit", "reversed"],
    ]);
    expect(await balance()).toBe(3);
    expect(await notified()).toEqual(["confirmed", "reversed"]);
  });
});

describe("what the first of two endpoints invented, and the other's silence has settled", () => {
  /** It lies about the balance, too: neither has proofs. */
  const lying = both(inventing, withoutProofs, async ({ method, params }, forward) => {
    if (method !== "eth_getBalance" || params[0] !== wallet) return null;
    const value = BigInt(String(await forward()));
    return { result: `0x${(value === 0n ? 0n : value + 7n).toString(16)}` };
  });

  async function settle(): Promise<WatchedChain> {
    const watched = await start([first, second], {});
    await watchWallet(watched);
    first.misbehave(lying);
    second.misbehave(silent);
    await payAndWait(watched);
    expect(await rows()).toEqual(settled);
    return watched;
  }

  it("is reversed once the other one proves the state, while the first one goes on", async () => {
    const watched = await settle();
    second.misbehave(null);
    await passTime(watched);
    expect(await reconcile(watched)).toEqual(["found"]);
    expect(await rows()).toEqual(reversed);
    expect(await balance()).toBe(5);
    expect((await notified()).toSorted()).toEqual(["confirmed", "confirmed", "reversed"]);
    expect(await reconcile(watched)).toEqual([]);
    expect(await rows()).toEqual(reversed);
  });

  it("is not reversed by what the other one says without a proof", async () => {
    const watched = await settle();
    second.misbehave(withoutProofs);
    await passTime(watched);
    expect(await reconcile(watched)).toEqual([]);
    expect(await rows()).toEqual(settled);
    expect(await notified()).toEqual(["confirmed", "confirmed"]);
  });

  it("is reversed once two others say so, without a proof", async () => {
    const before = await settle();
    await before.stop();
    const third = await startRpcProxy(anvil.rpcUrl);
    try {
      for (const one of [second, third]) one.misbehave(withoutProofs);
      const watched = await start([first, second, third], {});
      await struggle(watched, 2);
      expect(await reconcile(watched)).toEqual(["found"]);
      expect(await rows()).toEqual(reversed);
      expect(await balance()).toBe(5);
    } finally {
      await third.stop();
    }
  });
});

describe("what the first of two endpoints hides of what contracts have paid", () => {
  it("is found by the balances, and written as the other one traces it", async () => {
    const disperse = await deploy(anvil, "Disperse");
    const watched = await start([first, second], {});
    await watchWallet(watched);
    first.misbehave(async ({ method }, forward) => {
      if (!isTrace(method)) return null;
      const traces = (await forward()) as { result: object }[];
      return {
        result: traces.map(({ result, ...trace }) => ({
          ...trace,
          result: { ...result, calls: [] },
        })),
      };
    });
    await disperse.send(payer, "disperse", [[wallet], [3n]], 3n);
    await anvil.mine(3);
    await struggle(watched, 1);
    expect(await rows()).toEqual([]);
    expect(await reconcile(watched)).toEqual(["found"]);
    expect(await rows()).toEqual([[3, "deposit", "completed"]]);
    expect(await balance()).toBe(3);
    expect(await notified()).toEqual(["confirmed"]);
    expect(await ledger.db.discrepancy.count()).toBe(0);
  });
});
