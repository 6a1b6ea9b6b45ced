import { afterEach, describe, expect, it } from "vitest";
import type { BalanceKey } from "../../../../src/domain/money/balance.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { systemClock as clock } from "../../../../src/runtime/clock.ts";
import {
  nothingCompared,
  type ReconcilePorts,
  reconcileStep,
} from "../../../../src/watcher/reconcile/reconcile.ts";
import { createReconciler } from "../../../../src/watcher/reconcile/reconciler.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { resetChain, rewindChain } from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";
import { waitFor } from "../../../support/wait-for.ts";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

async function outcomes(): Promise<string[]> {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: quiet };
  const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.progress.findings.map((finding) => finding.outcome);
}

const held = async (walletId: string) => (await watched.balances(walletId))["ETH"];

async function rewind(toNumber: bigint): Promise<void> {
  const { db, chainName } = watched;
  await rewindChain(db, { chainName, toNumber });
  await watched.catchUp();
}

/** A contract pays one ether to a wallet of a chain without traces, after a first comparison. */
async function paidUnseen(): Promise<{ walletId: string; paidIn: bigint }> {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tracing: "off" });
  const vault = await deploy(anvil, "Vault");
  await anvil.sendNative({ from: payer, to: vault.address, amountAtomic: 9n * ether });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  expect(await outcomes()).toEqual([]);
  await anvil.mine(3);
  await vault.call(payer, "execute", [wallet, ether, "0x"]);
  const paidIn = BigInt(await anvil.blockNumber());
  await anvil.mine(4);
  await watched.catchUp();
  return { walletId, paidIn };
}

const corrections = () =>
  watched.db.transaction.findMany({
    where: { type: "unattributed" },
    select: { id: true, status: true, blockNumber: true },
  });

describe("a correction that a rewind takes back", () => {
  it("is made again in the same block", async () => {
    const { walletId, paidIn } = await paidUnseen();
    expect(await outcomes()).toEqual(["unattributed"]);
    const before = await corrections();
    expect(before).toMatchObject([{ status: "completed", blockNumber: paidIn }]);
    await rewind(paidIn - 1n);
    expect(await held(walletId)).toBe(0n);
    expect(await outcomes()).toEqual(["unattributed"]);
    expect(await corrections()).toEqual(before);
    expect(await held(walletId)).toBe(ether);
    expect(await outcomes()).toEqual([]);
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("is looked for in all blocks that it corrected", async () => {
    const { walletId, paidIn } = await paidUnseen();
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    const { hash } = await anvil.block(Number(confirmedNumber));
    const ofState = ["eth_getBalance", "eth_getProof", "eth_call"];
    proxy.misbehave(({ method, params }) =>
      ofState.includes(method) && !JSON.stringify(params).includes(hash)
        ? { error: { code: -32_000, message: "missing trie node" } }
        : null,
    );
    expect(await outcomes()).toEqual(["unattributed"]);
    expect(await corrections()).toMatchObject([{ blockNumber: confirmedNumber }]);
    proxy.misbehave(null);
    await rewind(paidIn + 1n);
    expect(await held(walletId)).toBe(0n);
    expect(await outcomes()).toEqual(["unattributed"]);
    expect(await held(walletId)).toBe(ether);
    expect(await outcomes()).toEqual([]);
  });
});

describe("a comparison that ends after its chain was reset", () => {
  it("leaves no height at which the new chain would agree", async () => {
    await paidUnseen();
    const { chain, ledger, oldBlocks, chainName, db } = watched;
    const own: ReconcilePorts["ledger"] = {
      ...ledger,
      async finishReconciliation(finished) {
        await resetChain(db, chainName);
        return ledger.finishReconciliation(finished);
      },
    };
    const ports = { chain, ledger: own, oldBlocks, log: quiet };
    const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
    expect(outcome).toEqual({ kind: "moved" });
    expect(await ledger.readAgreed(chainName)).toBeNull();
  });
});

describe("a chain that was never found to agree", () => {
  it("is not said to agree up to where a rewind goes", async () => {
    await paidUnseen();
    const { chainName, ledger, db } = watched;
    await db.reconciliation.update({ where: { chainName }, data: { agreedNumber: null } });
    await rewind(2n);
    expect(await ledger.readAgreed(chainName)).toBeNull();
  });
});

describe("a comparison of more balances than one step takes", () => {
  it("says nothing of its balances where a rewind took back what made them agree", async () => {
    const { paidIn } = await paidUnseen();
    expect(await outcomes()).toEqual(["unattributed"]);
    const { chain, ledger, oldBlocks, chainName } = watched;
    const { confirmedNumber } = await ledger.readChainState(chainName);
    const page = await ledger.readLedgerBalances({
      chainName,
      walletIds: null,
      after: null,
      limit: 1,
    });
    const {
      balances: [first = expect.fail()],
      undos,
    } = page ?? expect.fail();
    const { walletId, assetId } = first;
    const progress = { ...nothingCompared, compared: 1, lowest: confirmedNumber, undos };
    const earlier = { ...progress, after: { walletId, assetId } };
    // The blocks are the same again. The correction is not there any more.
    await rewind(paidIn - 1n);
    const ports = { chain, ledger, oldBlocks, log: quiet };
    const outcome = await reconcileStep(ports, { chainName, walletIds: null }, earlier);
    expect(outcome).toEqual({ kind: "moved" });
    expect(await outcomes()).toEqual(["unattributed"]);
    expect(await outcomes()).toEqual([]);
  });

  it("begins anew where the chain is rewound on the way", async () => {
    const { paidIn } = await paidUnseen();
    expect(await outcomes()).toEqual(["unattributed"]);
    const { chain, ledger, oldBlocks, chainName, db } = watched;
    const begunAfter: (BalanceKey | null)[] = [];
    let isDone = false;
    const own: ReconcilePorts["ledger"] = {
      ...ledger,
      async readLedgerBalances(asked) {
        begunAfter.push(asked.after);
        if (begunAfter.length === 2) await rewindChain(db, { chainName, toNumber: paidIn - 1n });
        if (begunAfter.length === 3) await watched.catchUp();
        const page = await ledger.readLedgerBalances(asked);
        if (page === null || begunAfter.length > 1) return page;
        // As of a ledger that fills the step.
        const balances = Array.from({ length: 500 }, () => page.balances).flat();
        return { ...page, balances: balances.slice(0, 500) };
      },
      async finishReconciliation(finished) {
        const ended = await ledger.finishReconciliation(finished);
        isDone = true;
        return ended;
      },
    };
    const lease = { take: async () => true };
    const ports = { chain, ledger: own, oldBlocks, lease, clock, log: quiet };
    const reconciler = createReconciler(ports, { chainName, everyMs: 20 });
    await reconciler.start();
    try {
      await waitFor(() => isDone, { what: "a comparison that has ended", timeoutMs: 30_000 });
    } finally {
      // Before its database is closed.
      await reconciler.stop();
    }
    // While blocks are read again nothing is compared. The step after it finds that they were.
    const [second, third] = [expect.anything(), expect.anything()];
    expect(begunAfter.slice(0, 4)).toEqual([null, second, third, null]);
  });
});
