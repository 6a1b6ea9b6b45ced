import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { readHoldings } from "../../../../src/ledger/balances/read-balance.ts";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import {
  nothingCompared,
  type ReconcilePorts,
  reconcileStep,
} from "../../../../src/watcher/reconcile/reconcile.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { archiveWallet, removeWallet, rewindChain } from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

/** A wallet that is watched, with one ether where it has money. */
async function watch(money: "money" | "nothing"): Promise<string> {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  if (money === "money") await pay(ether);
  return walletId;
}

async function confirm(): Promise<void> {
  await anvil.mine(2);
  await watched.catchUp();
}

async function pay(amountAtomic: bigint): Promise<void> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic });
  await confirm();
}

/** Sends everything away, to the last unit for gas. */
async function empty(): Promise<void> {
  await anvil.impersonate(wallet);
  const gasPrice = 10_000_000_000n;
  const value = (await anvil.balance(wallet)) - 21_000n * gasPrice;
  const hex = (amount: bigint) => `0x${amount.toString(16)}`;
  const gas = { gas: hex(21_000n), gasPrice: hex(gasPrice) };
  await anvil.send({ from: wallet, to: payer, value: hex(value), ...gas });
}

/** `afterwards` is called once all is compared, before wallets end. */
async function reconcile(afterwards: () => Promise<unknown> = async () => {}): Promise<void> {
  const { chain, oldBlocks, chainName } = watched;
  const ledger: ReconcilePorts["ledger"] = {
    ...watched.ledger,
    async finishReconciliation(finished) {
      const ended = await watched.ledger.finishReconciliation(finished);
      await afterwards();
      return ended;
    },
  };
  const ports: ReconcilePorts = { chain, ledger, oldBlocks, log: quiet };
  const asked = { chainName, walletIds: null };
  expect((await reconcileStep(ports, asked, nothingCompared)).kind).toBe("done");
}

async function fill(): Promise<void> {
  const { chain, rounds, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
  while ((await fillHistory(ports, chainName)).kind !== "idle");
}

const isWatched = async (id: string) =>
  (await watched.db.wallet.findUniqueOrThrow({ where: { id } })).removedAt === null;

const held = async (businessId = watched.businessId) => {
  const { holdings } = await readHoldings(watched.db, businessId);
  return holdings.reduce((sum, { confirmedAtomic }) => sum + confirmedAtomic, 0n);
};

const notified = (walletId: string) =>
  watched.db.notification.count({ where: { transaction: { walletId } } });

const positionOf = async (): Promise<bigint> =>
  (await watched.db.chain.findFirstOrThrow()).positionNumber ?? -1n;

describe("a wallet that is removed", () => {
  it("is watched no longer where it is empty", async () => {
    const walletId = await watch("nothing");
    expect(await removeWallet(watched.db, walletId)).toMatchObject({ leavingAt: null });
    expect(await isWatched(walletId)).toBe(false);
    await pay(ether);
    expect(await watched.history(walletId)).toEqual([]);
  });

  it("is watched, counted and notified while it holds money, and until it is empty", async () => {
    const walletId = await watch("money");
    expect(await removeWallet(watched.db, walletId)).toMatchObject({ removedAt: null });
    await pay(2n * ether);
    await reconcile();
    expect(await watched.history(walletId)).toHaveLength(2);
    expect(await notified(walletId)).toBe(2);
    expect(await held()).toBe(3n * ether);
    const leaving = await removeWallet(watched.db, walletId);
    expect(leaving.removedAt).toBeNull();

    await empty();
    await watched.catchUp();
    await reconcile();
    // The send is not confirmed yet.
    expect(await isWatched(walletId)).toBe(true);
    await confirm();
    await reconcile();
    expect(await isWatched(walletId)).toBe(false);
    expect(await held()).toBe(0n);
    await pay(ether);
    expect((await watched.history(walletId)).map(({ type }) => type).sort()).toEqual([
      "deposit",
      "deposit",
      "fee",
      "withdrawal",
    ]);
  });

  it("is leaving while a payment waits for its confirmation, or its opening is not read", async () => {
    const walletId = await watch("nothing");
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await watched.catchUp();
    expect(await removeWallet(watched.db, walletId)).toMatchObject({ removedAt: null });
    const fresh = await watched.addWallet(`0x${"7".repeat(40)}`);
    expect(await removeWallet(watched.db, fresh)).toMatchObject({ removedAt: null });
    await confirm();
    await reconcile();
    expect(await notified(walletId)).toBe(1);
    expect([await isWatched(walletId), await isWatched(fresh)]).toEqual([true, false]);
  });

  it("stays while two hosts say different things of what it holds, and ends once they agree", async () => {
    const other = await startRpcProxy(anvil.rpcUrl);
    onTestFinished(other.stop);
    watched = await watchChain({ rpcUrl: proxy.url, rpcUrls: [proxy.url, other.url], depth: 2 });
    await watched.catchUp();
    const walletId = await openWallet(watched, anvil);
    await watched.db.wallet.update({ where: { id: walletId }, data: { leavingAt: new Date() } });
    const noProof = { error: { code: -32_601, message: "method not found" } };
    other.misbehave(({ method }) => (method === "eth_getProof" ? noProof : null));
    proxy.misbehave(({ method }) => {
      if (method === "eth_getProof") return noProof;
      return method === "eth_getBalance" ? { result: "0x7" } : null;
    });
    await reconcile();
    expect(await isWatched(walletId)).toBe(true);
    for (const one of [proxy, other]) one.misbehave(null);
    await reconcile();
    expect(await isWatched(walletId)).toBe(false);
  });

  it("stays while blocks are read again, and where what emptied it is gone", async () => {
    const walletId = await watch("money");
    await removeWallet(watched.db, walletId);
    await empty();
    await confirm();
    const toNumber = (await positionOf()) - 3n;
    await reconcile(() => rewindChain(watched.db, { chainName: watched.chainName, toNumber }));
    expect(await isWatched(walletId)).toBe(true);
    expect(await removeWallet(watched.db, walletId)).toMatchObject({ removedAt: null });
    // What emptied it is on no block any more.
    await anvil.reorg(3);
    await watched.catchUp();
    await reconcile();
    expect(await held()).toBe(ether);
    expect(await isWatched(walletId)).toBe(true);
  });

  it("is leaving where the chain says that it holds money, and the ledger knows of none", async () => {
    const walletId = await watch("nothing");
    await anvil.setBalance(wallet, 5n);
    await confirm();
    await reconcile();
    expect(await watched.db.discrepancy.count({ where: { walletId } })).toBe(1);
    expect(await removeWallet(watched.db, walletId)).toMatchObject({ removedAt: null });
    await reconcile();
    expect(await isWatched(walletId)).toBe(true);
  });

  it("ends at once where it is archived, with all that it holds", async () => {
    const walletId = await watch("money");
    await removeWallet(watched.db, walletId);
    await archiveWallet(watched.db, walletId);
    await pay(ether);
    expect(await held()).toBe(0n);
    expect(await watched.history(walletId)).toHaveLength(1);
  });
});

describe("an address that is added again", () => {
  it("has what was paid meanwhile in its history, from the first block that was not watched", async () => {
    const walletId = await watch("money");
    await archiveWallet(watched.db, walletId);
    const endedAt = await positionOf();
    await pay(5n);
    await pay(7n);
    const again = await watched.addWallet(wallet);
    await confirm();
    await fill();
    const history = await watched.db.history.findUniqueOrThrow({ where: { walletId: again } });
    expect(history).toMatchObject({ fromNumber: endedAt + 1n, verdict: "agrees" });
    const amounts = (await watched.history(again)).map(({ amountAtomic }) => amountAtomic);
    expect(amounts).toEqual([5n, 7n]);
    expect(await held()).toBe(ether + 12n);
    await pay(9n);
    expect(await notified(again)).toBe(1);
  });

  it("has no history where no block was missed, where another one is asked for, or for others", async () => {
    const walletId = await watch("nothing");
    await archiveWallet(watched.db, walletId);
    const atOnce = await watched.addWallet(wallet);
    const histories = async () =>
      (await watched.db.history.findMany()).map((row) => [row.walletId, row.fromNumber]);
    expect(await histories()).toEqual([]);
    await archiveWallet(watched.db, atOnce);
    await anvil.mine(2);
    await watched.catchUp();
    const ofAnother = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    expect(await histories()).toEqual([]);
    await archiveWallet(watched.db, ofAnother);
    await anvil.mine(2);
    await watched.catchUp();
    const asked = await watched.addWallet(wallet, "deposit", watched.businessId, 2n);
    expect(await histories()).toEqual([[asked, 2n]]);
  });

  it("has no payment in its history that another business counted meanwhile", async () => {
    const walletId = await watch("money");
    await archiveWallet(watched.db, walletId);
    await pay(2n);
    const other = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await pay(3n);
    await archiveWallet(watched.db, other);
    const endedAt = await positionOf();
    await pay(5n);
    const again = await watched.addWallet(wallet);
    await confirm();
    await fill();
    const history = await watched.db.history.findUniqueOrThrow({ where: { walletId: again } });
    expect(history).toMatchObject({ fromNumber: endedAt + 1n, verdict: "agrees" });
    const amountsOf = async (id: string) =>
      (await watched.history(id)).map(({ amountAtomic }) => amountAtomic);
    expect([await amountsOf(other), await amountsOf(again)]).toEqual([[3n], [5n]]);
  });

  it("has no history where it is handed back while the other's wallet is leaving", async () => {
    const walletId = await watch("money");
    await removeWallet(watched.db, walletId);
    const other = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await pay(3n);
    await removeWallet(watched.db, other);
    const back = await watched.addWallet(wallet);
    await pay(5n);
    await removeWallet(watched.db, back);
    // Its own wallets end there, too.
    await watched.addWallet(wallet);
    expect(await watched.db.history.findMany()).toEqual([]);
  });

  it("is handed to another business while it is leaving, without a gap", async () => {
    const walletId = await watch("money");
    const other = await watched.addBusiness();
    await expect(watched.addWallet(wallet, "deposit", other)).rejects.toThrow("watched already");
    await removeWallet(watched.db, walletId);
    const handed = await watched.addWallet(wallet, "deposit", other);
    expect(await isWatched(walletId)).toBe(false);
    await pay(3n);
    expect(await watched.history(walletId)).toHaveLength(1);
    expect((await watched.history(handed)).map(({ amountAtomic }) => amountAtomic)).toEqual([3n]);
    expect([await held(), await held(other)]).toEqual([0n, ether + 3n]);
  });
});

it("a payment beside the end is counted, and keeps the wallet", async () => {
  const walletId = await watch("nothing");
  const { db, ledger, chainName } = watched;
  await watched.db.wallet.update({ where: { id: walletId }, data: { leavingAt: new Date() } });
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  const empty = (await db.balance.findMany({ where: { walletId } })).map(({ assetId }) => ({
    walletId,
    assetId,
  }));
  await Promise.all([watched.catchUp(), ledger.endLeaving(chainName, empty)]);
  await confirm();
  const isStill = await isWatched(walletId);
  expect(await watched.history(walletId)).toHaveLength(isStill ? 1 : 0);
  const change = await db.wallet.findUniqueOrThrow({
    where: { id: walletId },
    include: { removedChange: true },
  });
  // Where it ended first, it ended below the block of the payment.
  const endedAt = change.removedChange?.positionNumber ?? null;
  const paidAt = BigInt(await anvil.blockNumber()) - 2n;
  expect(isStill || (endedAt !== null && endedAt < paidAt)).toBe(true);
});
