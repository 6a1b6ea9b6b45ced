import { afterEach, expect, test } from "vitest";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { loseTransaction } from "../../../support/ledger/lose-transaction.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

function reconcile() {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: quiet };
  return reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
}

type Trace = { result: { value?: string } };

/** Beside what is real, each trace has an inner payment to the wallet that never was. */
const inventing: Misbehave = async ({ method }, forward) => {
  if (method !== "debug_traceBlockByHash") return null;
  const traces = (await forward()) as Trace[];
  const value = `0x${(7n * ether).toString(16)}`;
  const invented = { type: "CALL", from: payer, to: wallet, value, gas: "0x0", gasUsed: "0x0" };
  const calls = [{ ...invented, input: "0x" }];
  return { result: traces.map((trace) => ({ ...trace, result: { ...trace.result, calls } })) };
};

test("the reconciler does not confirm what the balance check holds back", async () => {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 1 });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  proxy.misbehave(inventing);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await anvil.mine(3);
  await watched.catchUp();
  const held = await watched.history(walletId);
  expect(held.map(({ status }) => status)).toEqual(["pending", "pending"]);

  for (const _ of ["once", "and again"]) expect((await reconcile()).kind).toBe("done");

  const after = await watched.history(walletId);
  expect(after.map(({ status }) => status)).toEqual(["pending", "pending"]);
  expect(await watched.balances(walletId)).toEqual({ ETH: 0n });
  expect(await watched.db.notification.count()).toBe(0);
});

test("the reconciler does not confirm what an endpoint invents where a payment was lost", async () => {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 1 });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await anvil.mine(3);
  await watched.catchUp();
  await loseTransaction(watched.db, walletId, "ETH");
  proxy.misbehave(inventing);

  expect((await reconcile()).kind).toBe("done");
  expect((await watched.history(walletId)).map(({ status }) => status)).toEqual([
    ...["pending", "pending"],
  ]);
  expect(await watched.balances(walletId)).toEqual({ ETH: 0n });

  proxy.misbehave(null);
  await watched.catchUp();
  expect(await watched.balances(walletId)).toEqual({ ETH: ether });
});

test("what the balance check noticed of a later block does not hide what was lost before it", async () => {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 1 });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  expect((await reconcile()).kind).toBe("done");
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await anvil.mine(3);
  await watched.catchUp();
  await loseTransaction(watched.db, walletId, "ETH");

  const { id: assetId } = await watched.db.asset.findFirstOrThrow({ where: { code: "ETH" } });
  const at = await watched.chain.head();
  const noticed = { balance: { walletId, assetId }, at, since: at.number - 1n };
  await watched.ledger.recordDiscrepancies(watched.chainName, {
    compared: [],
    discrepancies: [{ ...noticed, ledgerAtomic: 0n, chainAtomic: ether }],
  });
  expect((await reconcile()).kind).toBe("done");
  expect(await watched.balances(walletId)).toEqual({ ETH: ether });
  expect(await watched.db.discrepancy.count()).toBe(0);
});
