import { expect, onTestFinished, test } from "vitest";
import { startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { openWallet, watchChain } from "../../../support/chain/watched-chain.ts";
import { archiveWallet, rewindChain } from "../../../support/ledger/steps.ts";

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
