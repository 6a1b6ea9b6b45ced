import { expect, onTestFinished, test } from "vitest";
import { startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { watchChain } from "../../../support/chain/watched-chain.ts";
import { rewindChain } from "../../../support/ledger/steps.ts";

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
