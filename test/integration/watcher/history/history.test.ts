import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { fillHistory, type HistoryPorts } from "../../../../src/watcher/history/fill-history.ts";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { ether, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../../support/chain/each-chain.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { configureChains, requestHistory, resetChain } from "../../../support/ledger/steps.ts";
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

const ports = (): HistoryPorts => ({
  chain: watched.chain,
  gate: watched.gate,
  ledger: watched.ledger,
  oldBlocks: watched.oldBlocks,
  log: quiet,
});

/** Until there is nothing more to do. */
async function fill(): Promise<void> {
  while ((await fillHistory(ports(), watched.chainName)).kind !== "idle");
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
