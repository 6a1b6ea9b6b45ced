import { expect, test } from "vitest";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { archiveWallet } from "../../../support/ledger/steps.ts";

// A failover to a standby that lacked the last change of the watchlist, under a watcher that has
// followed it. The rows are as that standby has them.

const { anvil, watched } = eachWatchedChain({ blocks: 3, depth: 1 });

const other = "0x00000000000000000000000000000000000b0bb0";

const paidTo = async (walletId: string) => watched.db.transaction.count({ where: { walletId } });

/** Undoes the newest change, and what `rows` undo beside it. No trigger of the ledger applies. */
async function lose(...rows: string[]): Promise<void> {
  const undo = [
    ...rows,
    "DELETE FROM watch_change c USING chain WHERE c.chain_name = chain.name AND c.version = chain.watch_version",
    "UPDATE chain SET watch_version = watch_version - 1",
  ];
  await watched.db.$transaction([
    watched.db.$executeRawUnsafe("SET LOCAL session_replication_role = 'replica'"),
    ...undo.map((sql) => watched.db.$executeRawUnsafe(sql)),
  ]);
}

const loseWallet = (id: string) =>
  lose(
    `DELETE FROM ledger_entry WHERE wallet_id = '${id}'`,
    `DELETE FROM balance WHERE wallet_id = '${id}'`,
    `DELETE FROM wallet WHERE id = '${id}'`,
  );

const pay = (to: string) => anvil.sendNative({ from: payer, to, amountAtomic: 1n });

/** Adds a wallet, and lets the watcher follow that. */
async function addFollowed(address: string): Promise<string> {
  const id = await watched.addWallet(address);
  await anvil.mine(1);
  await watched.catchUp();
  return id;
}

test("a wallet whose removal is lost is watched again", async () => {
  await watched.catchUp();
  const id = await addFollowed(wallet);
  await archiveWallet(watched.db, id);
  await anvil.mine(1);
  await watched.catchUp();
  await lose(
    `UPDATE wallet SET removed_at = NULL, removed_change_id = NULL WHERE id = '${id}'`,
    `UPDATE balance SET ended = false WHERE wallet_id = '${id}'`,
  );
  await anvil.mine(1);
  await watched.catchUp();
  await pay(wallet);
  await watched.catchUp();
  expect(await paidTo(id)).toBe(1);
});

test("a wallet whose addition has the version of a lost one is watched", async () => {
  await watched.catchUp();
  await loseWallet(await addFollowed(wallet));
  const id = await watched.addWallet(other);
  await pay(other);
  await watched.catchUp();
  expect(await paidTo(id)).toBe(1);
});

test("a payment to a wallet whose addition is lost does not stop the chain", async () => {
  await watched.catchUp();
  await loseWallet(await addFollowed(wallet));
  await pay(wallet);
  await watched.catchUp();
  const id = await watched.addWallet(other);
  await pay(other);
  await watched.catchUp();
  expect(await paidTo(id)).toBe(1);
  expect(await watched.db.transaction.count()).toBe(1);
});
