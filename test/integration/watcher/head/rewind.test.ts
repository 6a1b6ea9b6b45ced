import { expect, onTestFinished, test } from "vitest";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import { ANVIL_ACCOUNTS, startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { forgettingStateOf } from "../../../support/chain/forgetting.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import { startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { openWallet, watchChain } from "../../../support/chain/watched-chain.ts";
import { archiveWallet, resetChain, rewindChain } from "../../../support/ledger/steps.ts";
import { watchInLedger } from "../../../support/ledger/watch-in-ledger.ts";
import { quiet } from "../../../support/quiet.ts";

test("a chain that is rewound comes back to the same rows, and notifies for none of them", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 2 });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const walletId = await watched.addWallet(wallet);
  for (let n = 1n; n <= 5n; n += 1n) {
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: n });
  }
  await watched.catchUp();
  const { chainName, db } = watched;
  const rows = () => db.transaction.findMany({ orderBy: { id: "asc" } });
  const [before, notified] = [await rows(), await db.notification.count()];
  const held = await watched.balances(walletId);
  const position = BigInt(await anvil.blockNumber());

  expect(await rewindChain(db, { chainName, toNumber: 1n })).toEqual({ from: position, to: 1n });
  expect((await watched.ledger.readChainState(chainName)).position?.number).toBe(1n);
  await watched.catchUp();
  expect(await rows()).toEqual(before);
  expect(await watched.balances(walletId)).toEqual(held);
  expect(await db.notification.count()).toBe(notified);

  const beyond = rewindChain(db, { chainName, toNumber: position });
  await expect(beyond).rejects.toMatchObject({ code: "invalid_request" });
  const unknown = rewindChain(db, { chainName: "moon", toNumber: 1n });
  await expect(unknown).rejects.toMatchObject({ code: "chain_not_found" });
});

test("a burn and an equal unwrapping in one transaction stay two after a rewind, where the state is gone", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const proxy = await startRpcProxy(anvil.rpcUrl);
  onTestFinished(proxy.stop);
  const weth = await deploy(anvil, "WETH9");
  const tokens = [{ code: "WETH", address: weth.address, decimals: 18, kind: "weth9" as const }];
  const watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { chainName, db } = watched;
  const [, owner] = ANVIL_ACCOUNTS;
  const walletId = await openWallet(watched, anvil, owner);
  const before = BigInt(await anvil.blockNumber());
  await weth.call(owner, "deposit", [], 10n);
  await weth.call(owner, "leaveTwice", [3n]);
  await anvil.mine(2);
  await watched.catchUp();
  const rows = () => db.transaction.findMany({ orderBy: { id: "asc" } });
  const [known, notified] = [await rows(), await db.notification.count()];
  expect(await watched.balances(walletId)).toMatchObject({ WETH: 4n });
  proxy.misbehave(forgettingStateOf(weth.address));
  await rewindChain(db, { chainName, toNumber: before });
  watched.restart();
  await watched.catchUp();
  expect(await rows()).toEqual(known);
  expect(await db.notification.count()).toBe(notified);
  expect(await watched.balances(walletId)).toMatchObject({ WETH: 4n });
  expect((await checkLedger(db)).findings).toEqual([]);
});

test("what was pending of a wallet that was archived since is confirmed after a rewind as before", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 3 });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { chainName, db } = watched;
  const walletId = await openWallet(watched, anvil);
  await anvil.mine(2);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await watched.catchUp();
  const paidIn = BigInt(await anvil.blockNumber());
  const statuses = async () => (await watched.history(walletId)).map(({ status }) => status);
  expect(await statuses()).toEqual(["pending"]);
  await archiveWallet(db, walletId);
  await anvil.mine(1);
  await watched.catchUp();
  await rewindChain(db, { chainName, toNumber: paidIn - 1n });
  await watched.catchUp();
  expect(await statuses()).toEqual(["pending"]);
  await anvil.mine(2);
  await watched.catchUp();
  expect(await statuses()).toEqual(["completed"]);
  const notifications = await db.notification.findMany();
  expect(notifications.map(({ state }) => state)).toEqual(["confirmed"]);
});

test("what was pending of an archived wallet stays after a rewind of more blocks than are kept at the head", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 1_000 });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { chainName, db, databaseUrl: url } = watched;
  const walletId = await watched.addWallet(wallet);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  const paidIn = BigInt(await anvil.blockNumber());
  await watched.catchUp();
  await archiveWallet(db, walletId);
  await anvil.rpc("anvil_mine", "0x21c", "0xc");
  await watched.catchUp();
  const statuses = async () => (await watched.history(walletId)).map(({ status }) => status);
  expect(await statuses()).toEqual(["pending"]);
  await rewindChain(db, { chainName, toNumber: paidIn - 1n });
  // Other blocks than before are confirmed by the time that they are read again.
  const ledger = { db, url, close: async () => {} };
  const sooner = await watchInLedger({ ledger, chainName }, { rpcUrl: anvil.rpcUrl, depth: 2 });
  onTestFinished(sooner.stop);
  await sooner.catchUp();
  expect(await statuses()).toEqual(["completed"]);
  expect((await checkLedger(db)).findings).toEqual([]);
});

/**
 * A wallet that got nine, was then watched with its history, got five, and was archived. All of it
 * is confirmed.
 */
async function archived() {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 2 });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { db, businessId, chain, rounds, ledger, oldBlocks, chainName } = watched;
  const start = BigInt(await anvil.blockNumber());
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 9n });
  await watched.catchUp();
  const walletId = await watched.addWallet(wallet, "deposit", businessId, start + 1n);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await anvil.mine(2);
  await watched.catchUp();
  const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
  while ((await fillHistory(ports, chainName)).kind !== "idle");
  await archiveWallet(db, walletId);
  const rows = async () =>
    (await watched.history(walletId)).map(({ amountAtomic, status }) => [amountAtomic, status]);
  expect(await rows()).toEqual([
    [9n, "completed"],
    [5n, "completed"],
  ]);
  expect((await watched.balances(walletId))["ETH"]).toBe(14n);
  return { ...watched, anvil, start, walletId, rows };
}

test("a wallet that was archived since keeps its opening and its history after a rewind below both", async () => {
  const { db, chainName, start, walletId, rows, ...watched } = await archived();
  await rewindChain(db, { chainName, toNumber: start });
  await watched.catchUp();
  expect(await rows()).toEqual([
    [9n, "completed"],
    [5n, "completed"],
  ]);
  const balance = await db.balance.findFirstOrThrow({ where: { walletId } });
  expect([balance.opening?.toFixed(), balance.confirmed.toFixed()]).toEqual(["9", "14"]);
  expect(await db.history.findFirst()).toMatchObject({ verdict: "agrees" });
  expect(await db.notification.count()).toBe(1);
  expect((await checkLedger(db)).findings).toEqual([]);
});

test("a chain that is reset reverses what wallets had that were archived since, and says so", async () => {
  const { db, chainName, walletId, rows, ...watched } = await archived();
  expect(await resetChain(db, chainName)).toEqual({ dropped: 0, reversed: 1, notified: 1 });
  expect(await rows()).toEqual([[5n, "reversed"]]);
  expect((await watched.balances(walletId))["ETH"]).toBe(0n);
  const notifications = await db.notification.findMany({ orderBy: { seq: "asc" } });
  expect(notifications.map(({ state }) => state)).toEqual(["confirmed", "reversed"]);
  expect((await checkLedger(db)).findings).toEqual([]);
});

test("an address that is added again after a reset has its history from the first block of the chain on", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  await anvil.mine(5);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 1, startBlock: 3n });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { chainName, db } = watched;
  const walletId = await openWallet(watched, anvil);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await watched.catchUp();
  await archiveWallet(db, walletId);
  await resetChain(db, chainName);
  await watched.catchUp();
  const again = await watched.addWallet(wallet);
  const history = await db.history.findUniqueOrThrow({ where: { walletId: again } });
  // Nobody has watched the address on the chain as it is known now.
  expect(history.fromNumber).toBe(3n);
});
