import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import type { NativeAlias } from "../../../../src/domain/chain/profile.ts";
import type { AssetKind } from "../../../../src/domain/money/asset.ts";
import { noTransaction } from "../../../../src/domain/money/movement.ts";
import {
  nothingCompared,
  type ReconcileOutcome,
  type ReconcilePorts,
  reconcileStep,
} from "../../../../src/watcher/reconcile/reconcile.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import { installMulticall } from "../../../support/chain/multicall.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { loseTransaction } from "../../../support/ledger/lose-transaction.ts";
import { configureChains } from "../../../support/ledger/steps.ts";

const { anvil, proxy } = eachProxiedChain();
const token = eachTestToken(anvil);
let watched: WatchedChain;
let logged: string[];

afterEach(() => watched.stop());

async function watch(kind: AssetKind = "exact"): Promise<string> {
  const tokens = [{ ...token.asset, kind }];
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens });
  logged = [];
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  return walletId;
}

/** A native and a token deposit, confirmed. */
async function deposit(): Promise<void> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  await token.transfer(payer, wallet, 50n);
  await anvil.mine(2);
  await watched.catchUp();
}

function ports(): ReconcilePorts {
  const say = (_: object, message: string) => void logged.push(message);
  const log = { debug: say, info: say, warn: say, error: say };
  return { chain: watched.chain, ledger: watched.ledger, oldBlocks: watched.oldBlocks, log };
}

const reconcile = (given = ports(), walletIds: string[] | null = null): Promise<ReconcileOutcome> =>
  reconcileStep(given, { chainName: watched.chainName, walletIds }, nothingCompared);

async function findings(): Promise<[string, string][]> {
  const outcome = await reconcile();
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.progress.findings.map(({ balance, outcome }) => [balance.assetCode, outcome]);
}

/** Takes the token out of the configuration and puts it back, until its new opening is read. */
async function bringBack(): Promise<void> {
  const { db, chainName } = watched;
  const coin = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
  const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
  for (const assets of [[coin], [coin, own]])
    await configureChains(db, [{ name: chainName, chainId: 31_337, assets }], "removed");
  await anvil.mine(3);
  await watched.catchUp();
}

const openDiscrepancies = () => watched.db.discrepancy.count();

describe("reconciling a ledger with its chain", () => {
  it("finds nothing where they agree, and remembers up to where", async () => {
    await watch();
    await deposit();
    expect(await findings()).toEqual([]);
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    expect(await watched.ledger.readAgreed(watched.chainName)).toBe(confirmedNumber);
    expect(logged).toEqual(["reconciliation.done"]);
  });

  it("finds a deposit that was lost by reading its block again, and notifies for it as for any other", async () => {
    const walletId = await watch();
    await deposit();
    const before = await watched.history(walletId);
    await loseTransaction(watched.db, walletId, "TST");
    expect(await findings()).toEqual([["TST", "found"]]);
    expect((await watched.balances(walletId))["TST"]).toBe(50n);
    expect(await watched.history(walletId)).toEqual(before);
    const lost = await watched.db.transaction.findFirstOrThrow({
      where: { walletId, asset: { code: "TST" } },
      include: { notifications: true },
    });
    expect(lost.notifications.map(({ event }) => event)).toEqual(["transaction.deposit"]);
    expect(await findings()).toEqual([]);
    expect(await openDiscrepancies()).toBe(0);
  });

  it("corrects an asset that changes by itself with an adjustment, which notifies nobody", async () => {
    const walletId = await watch("rebasing");
    await deposit();
    expect(await findings()).toEqual([]);
    const agreed = await watched.ledger.readAgreed(watched.chainName);
    for (const [amount, change] of [
      [65n, 15n],
      [60n, -5n],
    ] as const) {
      await token.setBalance(wallet, amount);
      await anvil.mine(3);
      await watched.catchUp();
      expect(await findings()).toEqual([["TST", "adjusted"]]);
      expect((await watched.balances(walletId))["TST"]).toBe(amount);
      const adjustment = await watched.db.transaction.findFirstOrThrow({
        where: { walletId, type: "adjustment" },
        include: { notifications: true },
        orderBy: { blockNumber: "desc" },
      });
      expect(adjustment).toMatchObject({
        status: "completed",
        direction: change > 0n ? "in" : "out",
        txHash: noTransaction,
        notifications: [],
      });
      expect(BigInt(adjustment.amount.toFixed())).toBe(change > 0n ? change : -change);
      if (change > 0n) expect(adjustment.sinceNumber).toBe(agreed);
      expect(await findings()).toEqual([]);
    }
  });

  it("does not correct twice what two processes found at different heights", async () => {
    const walletId = await watch("rebasing");
    await deposit();
    await token.setBalance(wallet, 65n);
    await anvil.mine(3);
    await watched.catchUp();
    const late = ports();
    const held = { ...late, ledger: { ...late.ledger } };
    held.ledger.recordCorrection = async (name, adjustment) => {
      await anvil.mine(1);
      await watched.catchUp();
      expect(await findings()).toEqual([["TST", "adjusted"]]);
      return late.ledger.recordCorrection(name, adjustment);
    };
    const outcome = await reconcile(held);
    expect(outcome.kind === "done" && outcome.progress.findings[0]?.outcome).toBe("moved");
    expect((await watched.balances(walletId))["TST"]).toBe(65n);
    expect(await findings()).toEqual([]);
  });

  it("takes no difference of the coin for an internal payment where every move of the coin is logged", async () => {
    const coin: NativeAlias = { address: parseAddress(token.address), logs: "all", decimals: 18 };
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2, nativeAliases: [coin] });
    logged = [];
    await watched.catchUp();
    const walletId = await openWallet(watched, anvil);
    // This chain does not log it, so that the ledger cannot have it.
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await anvil.mine(3);
    await watched.catchUp();
    expect(await findings()).toEqual([["ETH", "discrepancy"]]);
    expect((await watched.balances(walletId))["ETH"]).toBe(0n);
    expect(await openDiscrepancies()).toBe(1);
  });

  it("finds the block of what a contract paid where the chain cannot be traced, and notifies nobody of it", async () => {
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tracing: "off" });
    logged = [];
    const vault = await deploy(anvil, "Vault");
    await anvil.sendNative({ from: payer, to: vault.address, amountAtomic: 9n * ether });
    await watched.catchUp();
    const walletId = await openWallet(watched, anvil);
    const blocks: bigint[] = [];
    for (const amount of [2n, 3n]) {
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
      await anvil.mine(3);
      await vault.call(payer, "execute", [wallet, amount * ether, "0x"]);
      blocks.push(BigInt(await anvil.blockNumber()));
      await anvil.mine(4);
    }
    await watched.catchUp();
    expect((await watched.balances(walletId))["ETH"]).toBe(2n * ether);
    expect(await findings()).toEqual([["ETH", "unattributed"]]);
    expect((await watched.balances(walletId))["ETH"]).toBe(7n * ether);
    const changes = await watched.db.transaction.findMany({
      where: { walletId, type: "unattributed" },
      include: { notifications: true },
      orderBy: { blockNumber: "asc" },
    });
    expect(changes.map(({ blockNumber }) => blockNumber)).toEqual(blocks);
    expect(changes.map(({ amount }) => BigInt(amount.toFixed()))).toEqual([2n * ether, 3n * ether]);
    expect(changes.flatMap(({ notifications }) => notifications)).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  it("reports any other difference, touches no balance, and stops reporting when it is gone", async () => {
    const walletId = await watch();
    await deposit();
    await anvil.setBalance(wallet, 3n * ether);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await findings()).toEqual([["ETH", "discrepancy"]]);
    expect(logged).toContain("discrepancy.found");
    expect((await watched.balances(walletId))["ETH"]).toBe(ether);
    const [open] = await watched.db.discrepancy.findMany({ where: { walletId } });
    expect([open?.ledgerAmount.toFixed(), open?.chainAmount.toFixed()]).toEqual([
      String(ether),
      String(3n * ether),
    ]);
    await anvil.setBalance(wallet, ether);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await findings()).toEqual([]);
    expect(await openDiscrepancies()).toBe(0);
  });

  it("throws a comparison away whose block has left the chain", async () => {
    const walletId = await watch();
    await deposit();
    const { chain, ...others } = ports();
    const moving = {
      ...chain,
      async balancesAt(...asked: Parameters<typeof chain.balancesAt>) {
        const read = await watched.chain.balancesAt(...asked);
        await anvil.reorg(4);
        await anvil.mine(1);
        await watched.catchUp();
        return { ...read, amounts: read.amounts.map(() => 0n) };
      },
    };
    expect(await reconcile({ ...others, chain: moving })).toEqual({ kind: "not_now" });
    expect(await openDiscrepancies()).toBe(0);
    expect(await findings()).toEqual([]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 0n, TST: 0n });
  });

  it("compares at the position, with what is pending, where the state of the confirmed block is gone", async () => {
    await watch();
    await deposit();
    await token.transfer(payer, wallet, 7n);
    await watched.catchUp();
    const confirmed = await watched.ledger.readChainState(watched.chainName);
    const { hash } = await anvil.block(Number(confirmed.confirmedNumber));
    proxy.misbehave(({ params }) =>
      JSON.stringify(params).includes(hash)
        ? { error: { code: -32_000, message: "missing trie node" } }
        : null,
    );
    expect(await findings()).toEqual([]);
  });

  it.each([
    "by one call where Multicall3 is there",
    "by one call where Multicall3 was not there at an older block",
    "one by one where it is not",
  ])("reads many wallets %s, with the same result", async (how) => {
    const isThere = how.startsWith("by one call");
    const isLate = how.endsWith("older block");
    if (isThere && !isLate) await installMulticall(anvil);
    await watch();
    for (let n = 1; n <= 30; n += 1) {
      await watched.addWallet(`0x${n.toString(16).padStart(40, "b")}`);
    }
    await anvil.mine(3);
    await watched.catchUp();
    if (isLate) await installMulticall(anvil);
    for (let n = 1; n <= 5; n += 1) {
      const to = `0x${n.toString(16).padStart(40, "b")}`;
      await anvil.sendNative({ from: payer, to, amountAtomic: BigInt(n) });
      await token.transfer(payer, to, BigInt(n));
    }
    await anvil.mine(2);
    await watched.catchUp();
    const lost = await watched.db.wallet.findFirstOrThrow({
      where: { address: `0x${"3".padStart(40, "b")}` },
    });
    await loseTransaction(watched.db, lost.id, "ETH");
    proxy.calls.length = 0;
    const outcome = await reconcile();
    // What differed is compared once more, alone: too few to be worth a call of many.
    const questions = proxy.calls.filter((method) => method === "eth_getBalance").length;
    expect(questions > 1).toBe(!isThere);
    expect(outcome).toMatchObject({ kind: "done", progress: { compared: 62 } });
    expect(
      outcome.kind === "done" && outcome.progress.findings.map(({ outcome }) => outcome),
    ).toEqual(["found"]);
    expect(await findings()).toEqual([]);
  });

  it("writes no deposit of before its asset came back meanwhile, since the new opening includes it", async () => {
    const walletId = await watch();
    await deposit();
    await loseTransaction(watched.db, walletId, "TST");
    const { chain, ...others } = ports();
    let isBack = false;
    const searching = {
      ...chain,
      async loadBlock(...asked: Parameters<typeof chain.loadBlock>) {
        const read = await chain.loadBlock(...asked);
        if (!isBack) await bringBack();
        isBack = true;
        return read;
      },
    };
    expect(await reconcile({ ...others, chain: searching })).toMatchObject({ kind: "done" });
    expect((await watched.balances(walletId))["TST"]).toBe(50n);
    expect(await findings()).toEqual([]);
  });

  it("searches below the height of agreement for a balance that was opened after it", async () => {
    const walletId = await watch();
    await deposit();
    expect(await findings()).toEqual([]);
    // A host that was silent for long: the opening was read once the others had been compared.
    await anvil.mine(2);
    await watched.catchUp();
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    await watched.db.balance.updateMany({ data: { openedNumber: confirmedNumber } });
    await loseTransaction(watched.db, walletId, "TST");
    expect(await findings()).toEqual([["TST", "found"]]);
  });

  it("has not compared all where a reorg took away the block of an earlier step", async () => {
    await watch();
    await deposit();
    const { chainName, ledger } = watched;
    const { confirmedNumber } = await ledger.readChainState(chainName);
    const earlier = { ...nothingCompared, compared: 1, lowest: confirmedNumber, undos: 0 };
    await anvil.reorg(3);
    await anvil.mine(2);
    await watched.catchUp();
    const outcome = await reconcileStep(ports(), { chainName, walletIds: null }, earlier);
    expect(outcome).toEqual({ kind: "moved" });
    expect(await ledger.readAgreed(chainName)).toBeNull();
  });

  it("compares one wallet alone, and says nothing then of the whole chain", async () => {
    const walletId = await watch();
    await deposit();
    const outcome = await reconcile(ports(), [walletId]);
    expect(outcome).toMatchObject({ kind: "done", progress: { compared: 2, findings: [] } });
    expect(await watched.ledger.readAgreed(watched.chainName)).toBeNull();
  });
});
