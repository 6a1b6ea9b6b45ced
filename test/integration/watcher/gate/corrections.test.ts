import { afterEach, describe, expect, it } from "vitest";
import { readOpenings } from "../../../../src/watcher/head/read-openings.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";

const stranger = "0x00000000000000000000000000000000000dead1";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

async function watch(balanceCheck: boolean): Promise<string> {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, balanceCheck });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  return walletId;
}

const withoutProofs: Misbehave = ({ method }) =>
  method === "eth_getProof" ? { error: { code: -32_601, message: "method not found" } } : null;

/**
 * The endpoint adds a call of 7 ether to the wallet to whatever it traces; of all else it answers
 * as `beside` does.
 */
function inventPayment(beside: Misbehave): void {
  proxy.misbehave(async (call, forward) => {
    if (call.method !== "debug_traceBlockByHash") return beside(call, forward);
    const traces = (await forward()) as { result: object }[];
    const value = `0x${(7n * ether).toString(16)}`;
    const frame = { type: "CALL", from: stranger, to: wallet, value };
    const calls = [{ ...frame, gas: "0x0", gasUsed: "0x0", input: "0x" }];
    return { result: traces.map((one) => ({ ...one, result: { ...one.result, calls } })) };
  });
}

/** An ether is paid, and the endpoint shows seven more. */
async function payBesideInvention(beside: Misbehave = () => null): Promise<void> {
  inventPayment(beside);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await anvil.mine(2);
  await watched.catchUp();
}

async function reconcile(): Promise<string[]> {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: keepingLog().log };
  const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.progress.findings.map((one) => one.outcome);
}

const statuses = async (walletId: string) =>
  (await watched.history(walletId)).map(({ amountAtomic, status }) => [
    amountAtomic / ether,
    status,
  ]);

const entryKinds = async () =>
  (await watched.db.ledgerEntry.findMany({ orderBy: { id: "asc" } })).map(({ kind }) => kind);

describe("what an endpoint invented", () => {
  it("is dropped while it is pending, once two readings and the balances are without it", async () => {
    const walletId = await watch(true);
    await payBesideInvention();
    expect(await statuses(walletId)).toEqual([
      [1n, "pending"],
      [7n, "pending"],
    ]);

    proxy.misbehave(null);
    await watched.balancesStep();
    expect(await statuses(walletId)).toEqual([
      [1n, "completed"],
      [7n, "dropped"],
    ]);
    expect((await watched.balances(walletId))["ETH"]).toBe(ether);
    expect(await watched.db.notification.count()).toBe(1);
    expect(await reconcile()).toEqual([]);
    expect(await watched.db.discrepancy.count()).toBe(0);
  });

  it("is dropped by the word of the only endpoint, where that proves no balance", async () => {
    const walletId = await watch(true);
    await payBesideInvention(withoutProofs);
    expect((await statuses(walletId)).map(([, status]) => status)).toEqual(["pending", "pending"]);

    proxy.misbehave(withoutProofs);
    await watched.balancesStep();
    const after = (await statuses(walletId)).map(([, status]) => status);
    expect(after).toEqual(["completed", "dropped"]);
    expect((await watched.balances(walletId))["ETH"]).toBe(ether);
  });

  it("is not reversed by that word where it was completed", async () => {
    const walletId = await watch(false);
    await payBesideInvention(withoutProofs);
    const before = await statuses(walletId);
    expect(before.map(([, status]) => status)).toEqual(["completed", "completed"]);

    proxy.misbehave(withoutProofs);
    expect(await reconcile()).toEqual(["discrepancy"]);
    expect(await statuses(walletId)).toEqual(before);
  });

  it("stays pending while the balances do not show what is read", async () => {
    const walletId = await watch(true);
    await payBesideInvention();
    await watched.balancesStep();
    expect((await statuses(walletId)).map(([, status]) => status)).toEqual(["pending", "pending"]);
  });

  it("is reversed where it was completed and notified, and the business is notified of that", async () => {
    // As the release before this one, or an endpoint that lies about balances too.
    const walletId = await watch(false);
    await payBesideInvention();
    expect((await watched.balances(walletId))["ETH"]).toBe(8n * ether);

    proxy.misbehave(null);
    expect(await reconcile()).toEqual(["found"]);
    expect(await statuses(walletId)).toEqual([
      [1n, "completed"],
      [7n, "reversed"],
    ]);
    expect((await watched.balances(walletId))["ETH"]).toBe(ether);
    const notified = await watched.db.notification.findMany({ orderBy: { createdAt: "asc" } });
    expect(notified.map(({ state }) => state)).toEqual(["confirmed", "confirmed", "reversed"]);
    expect(await reconcile()).toEqual([]);
  });
});

describe("an opening that was read wrong", () => {
  it("is corrected by an entry of its own once the chain shows it at that block", async () => {
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
    await watched.catchUp();
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 10n * ether });
    await anvil.mine(1);
    await watched.catchUp();
    const walletId = await openWallet(watched, anvil);
    await watched.db.balance.updateMany({
      where: { walletId },
      data: { opening: null, confirmed: 0 },
    });
    const { chain, rounds, ledger, chainName } = watched;
    const lying = {
      isAlone: () => true,
      async balancesAt(...asked: Parameters<typeof chain.balancesAt>) {
        const { amounts, ...shown } = await chain.balancesAt(...asked);
        return { amounts: amounts.map((amount) => amount + 200n * ether), ...shown };
      },
    };
    await readOpenings(
      { chain: lying, rounds: rounds.openings, ledger, giveWay: async () => {} },
      chainName,
    );
    expect((await watched.balances(walletId))["ETH"]).toBe(210n * ether);

    expect(await reconcile()).toEqual(["opening_corrected"]);
    expect((await watched.balances(walletId))["ETH"]).toBe(10n * ether);
    expect(await entryKinds()).toEqual(["opening", "opening", "opening_corrected"]);
    expect(await reconcile()).toEqual([]);
    expect(await watched.db.discrepancy.count()).toBe(0);
  });
});
