import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { createRounds } from "../../../../src/watcher/gate/rounds.ts";
import { fillHistory, type HistoryPorts } from "../../../../src/watcher/history/fill-history.ts";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { ether, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../../support/chain/each-chain.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import {
  configureChains,
  requestHistory,
  resetChain,
  rewindChain,
} from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

const [payer, sender, third] = ANVIL_ACCOUNTS;
const { anvil, proxy } = eachProxiedChain();
const token = eachTestToken(anvil);
let watched: WatchedChain;

afterEach(() => watched.stop());

async function watch(): Promise<void> {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens: [token.asset] });
  await watched.catchUp();
}

/** As of a process that has just begun. */
const ports = (): HistoryPorts => ({
  chain: watched.chain,
  rounds: createRounds(watched.gate),
  ledger: watched.ledger,
  oldBlocks: watched.oldBlocks,
  log: quiet,
});

/** Until there is nothing more to do. */
async function fill(): Promise<void> {
  const process = ports();
  while ((await fillHistory(process, watched.chainName)).kind !== "idle");
}

const historyOf = (walletId: string) =>
  watched.db.history.findUniqueOrThrow({ where: { walletId } });

const add = (address: string, fromBlock: bigint) =>
  watched.addWallet(address, "deposit", watched.businessId, fromBlock);

/**
 * Everything that moves for a wallet that sends for itself: in and out, coin and token, gas, and a
 * send that fails.
 */
async function traffic(): Promise<void> {
  await anvil.sendNative({ from: payer, to: sender, amountAtomic: 3n * ether });
  await token.transfer(payer, sender, 70n);
  await anvil.sendNative({ from: sender, to: third, amountAtomic: ether });
  await token.transfer(sender, third, 20n);
}

/**
 * Traffic, so many blocks, then a wallet whose history from a block on is asked for; its opening
 * balance is read.
 */
async function watchAfterTraffic(of: { blocks: number; fromBlock: bigint }): Promise<string> {
  await traffic();
  await anvil.mine(of.blocks);
  await watch();
  const walletId = await add(sender, of.fromBlock);
  await anvil.mine(3);
  await watched.catchUp();
  return walletId;
}

describe("the history of a wallet", () => {
  it("is filled in behind the head, explains the opening balance, moves no balance and notifies nobody", async () => {
    const walletId = await watchAfterTraffic({ blocks: 2, fromBlock: 2n });
    const held = await watched.balances(walletId);
    await fill();
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect(await watched.balances(walletId)).toEqual(held);
    expect(held["ETH"]).toBe(await anvil.balance(sender));
    const history = await watched.history(walletId);
    expect(history.map(({ type, asset, status }) => `${type} ${asset} ${status}`)).toEqual([
      "deposit ETH completed",
      "deposit TST completed",
      "withdrawal ETH completed",
      "fee ETH completed",
      "withdrawal TST completed",
      "fee ETH completed",
    ]);
    expect(await watched.db.notification.count()).toBe(0);
    expect(await watched.db.ledgerEntry.count({ where: { transactionId: { not: null } } })).toBe(0);
  });

  it("and what is watched later meet without a gap, whatever comes first", async () => {
    await traffic();
    await watch();
    const walletId = await add(sender, 0n);
    await traffic();
    await anvil.mine(3);
    await fill();
    await watched.catchUp();
    await fill();
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees", fromNumber: 1n });
    expect(await watched.history(walletId)).toHaveLength(12);
    expect((await watched.balances(walletId))["ETH"]).toBe(await anvil.balance(sender));
    const again = await requestHistory(watched.db, { walletId, fromNumber: 3n });
    expect(again.fromNumber).toBe(1n);
    await fill();
    expect(await watched.history(walletId)).toHaveLength(12);
  });

  it("reads its blocks once for all wallets that lack them", async () => {
    await traffic();
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(2);
    await watch();
    const ids = [await add(sender, 1n), await add(third, 1n), await add(wallet, 1n)];
    await anvil.mine(3);
    await watched.catchUp();
    proxy.calls.length = 0;
    await fill();
    const loads = proxy.calls.filter((method) => method === "eth_getBlockReceipts").length;
    const { nextNumber } = await historyOf(ids[0] ?? "");
    const numbers = Array.from({ length: Number(nextNumber) - 1 }, (_, index) => index + 1);
    const blocks = await Promise.all(numbers.map((number) => anvil.block(number)));
    expect(loads).toBe(blocks.filter(({ transactions }) => transactions.length > 0).length);
    for (const id of ids) expect(await historyOf(id)).toMatchObject({ verdict: "agrees" });
  });

  it("goes on where a process ended, and two processes write it once", async () => {
    const walletId = await watchAfterTraffic({ blocks: 520, fromBlock: 1n });
    await fillHistory(ports(), watched.chainName);
    expect((await historyOf(walletId)).nextNumber).toBe(513n);
    await Promise.all([fill(), fill(), fill()]);
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect(await watched.history(walletId)).toHaveLength(6);
  });

  it("reports where it does not explain the opening balance, and where that cannot be known", async () => {
    await traffic();
    await watch();
    const walletId = await add(sender, 3n);
    await anvil.mine(3);
    await watched.catchUp();
    await watched.db.balance.updateMany({ where: { walletId }, data: { opening: "7" } });
    await fill();
    expect(await historyOf(walletId)).toMatchObject({ verdict: "differs" });
    await watched.db.history.updateMany({ data: { verdict: null } });
    proxy.misbehave(({ method }) =>
      method === "eth_getBalance" || method === "eth_call"
        ? { error: { code: -32_000, message: "missing trie node" } }
        : null,
    );
    await fill();
    expect(await historyOf(walletId)).toMatchObject({ verdict: "unknown" });
  });

  it("of an asset that is configured later is looked for too", async () => {
    await traffic();
    await watch();
    const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
    const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
    const configure = (assets: (typeof native | typeof own)[]) =>
      configureChains(
        watched.db,
        [{ name: watched.chainName, chainId: 31_337, assets }],
        "removed",
      );
    await configure([native]);
    const walletId = await add(sender, 1n);
    await traffic();
    await anvil.mine(3);
    await watched.catchUp();
    await fill();
    expect((await watched.history(walletId)).some(({ asset }) => asset === "TST")).toBe(false);
    await configure([native, own]);
    await anvil.mine(3);
    await watched.catchUp();
    await fill();
    const tokens = (await watched.history(walletId)).filter(({ asset }) => asset === "TST");
    expect(tokens.map(({ amountAtomic }) => amountAtomic)).toEqual([70n, 20n, 70n, 20n]);
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect((await watched.balances(walletId))["TST"]).toBe(await token.balanceOf(sender));
  });

  it("is read again where a reorg reaches into it, and goes with a chain that is reset", async () => {
    await anvil.mine(3);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(2);
    await watch();
    const walletId = await add(wallet, 1n);
    await anvil.mine(1);
    await watched.catchUp();
    await fill();
    expect(await watched.history(walletId)).toHaveLength(1);
    await anvil.reorg(4);
    await anvil.mine(3);
    await watched.catchUp();
    await fill();
    expect(await watched.history(walletId)).toEqual([]);
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect((await watched.balances(walletId))["ETH"]).toBe(0n);
    await resetChain(watched.db, watched.chainName);
    expect(await watched.db.history.count()).toBe(0);
  });

  it("cannot begin above the chain, and then nothing is added", async () => {
    await watch();
    await expect(add(wallet, 1_000n)).rejects.toMatchObject({ code: "invalid_request" });
    expect(await watched.db.wallet.count()).toBe(0);
  });
});

describe("a deposit that is gone, and on the chain again while its token is not configured", () => {
  const amount = 7n;
  const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;

  async function configure(isToken: boolean): Promise<void> {
    const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" as const };
    const assets = isToken ? [native, own] : [native];
    const { db, chainName } = watched;
    await configureChains(db, [{ name: chainName, chainId: 31_337, assets }], "removed");
  }

  /** Watches a wallet with a history from block 1 on, and pays it in the block below these. */
  async function paid(blocks: number): Promise<{ walletId: string; raw: string; depth: number }> {
    await anvil.mine(4);
    await watch();
    const walletId = await add(wallet, 1n);
    const hash = await token.transfer(payer, wallet, amount);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    if (blocks > 0) await anvil.mine(blocks);
    await watched.catchUp();
    return { walletId, raw, depth: blocks + 1 };
  }

  /** Puts others in the place of so many blocks. */
  async function replace(depth: number): Promise<void> {
    await anvil.rollback(depth);
    await anvil.mine(depth + 2);
    await watched.catchUp();
  }

  /** Puts the deposit into a block in which nobody looks for the token. */
  async function comeBack(raw: string): Promise<void> {
    await configure(false);
    await anvil.sendRaw(raw);
    await watched.catchUp();
    await configure(true);
    await anvil.mine(3);
    await watched.catchUp();
    await fill();
  }

  const rows = () =>
    watched.db.transaction.findMany({
      select: { id: true, status: true, round: true, isHistory: true, blockNumber: true },
    });
  const notified = async () =>
    (await watched.db.notification.findMany({ orderBy: { seq: "asc" } })).map(
      ({ state, round }) => `${state} ${round}`,
    );
  const held = async (walletId: string) => (await watched.balances(walletId))["TST"];
  const faults = async () => (await checkLedger(watched.db)).findings;

  it("is back with its history, and notified again, where it was reversed", async () => {
    const { walletId, raw, depth } = await paid(2);
    const [before] = await rows();
    expect(before).toMatchObject({ status: "completed", round: 0 });
    await replace(depth);
    expect(await rows()).toMatchObject([{ status: "reversed", round: 1 }]);
    await comeBack(raw);
    const back = { id: before?.id, status: "completed", round: 1, isHistory: false };
    expect(await rows()).toMatchObject([back]);
    expect(await notified()).toEqual(["confirmed 0", "reversed 0", "confirmed 1"]);
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect(await held(walletId)).toBe(amount);
    expect(await faults()).toEqual([]);
  });

  it("stays where its blocks are read again, and is reversed again where it is gone", async () => {
    const { walletId, raw, depth } = await paid(2);
    await replace(depth);
    await comeBack(raw);
    const [back, said] = [await rows(), await notified()];
    const { chainName } = watched;
    const below = (back[0]?.blockNumber ?? 0n) - 1n;
    await rewindChain(watched.db, { chainName, toNumber: below });
    await watched.catchUp();
    await fill();
    expect(await rows()).toEqual(back);
    expect(await notified()).toEqual(said);
    expect(await held(walletId)).toBe(amount);

    await replace((await anvil.blockNumber()) - Number(below));
    await fill();
    expect(await rows()).toMatchObject([{ status: "reversed", round: 2 }]);
    expect(await notified()).toEqual([...said, "reversed 1"]);
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect(await held(walletId)).toBe(0n);
    expect(await faults()).toEqual([]);
  });

  it("is completed with its history, and counted once, where it was pending", async () => {
    const { walletId, raw, depth } = await paid(0);
    const [before] = await rows();
    expect(before).toMatchObject({ status: "pending" });
    await replace(depth);
    expect(await rows()).toMatchObject([{ status: "dropped" }]);
    await comeBack(raw);
    expect(await rows()).toMatchObject([{ id: before?.id, status: "completed", isHistory: false }]);
    expect(await notified()).toEqual(["confirmed 0"]);
    expect(await held(walletId)).toBe(amount);
    expect(await faults()).toEqual([]);

    // Above that block it is found as any other.
    await anvil.rollback(4);
    await anvil.mine(2);
    await anvil.sendRaw(raw);
    await anvil.mine(4);
    await watched.catchUp();
    await fill();
    expect(await rows()).toMatchObject([{ id: before?.id, status: "completed" }]);
    expect(await held(walletId)).toBe(amount);
    expect(await historyOf(walletId)).toMatchObject({ verdict: "agrees" });
    expect(await faults()).toEqual([]);
  });
});
