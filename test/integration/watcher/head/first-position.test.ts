import { describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { eachTest } from "../../../support/each-test.ts";
import { removeWallet } from "../../../support/ledger/steps.ts";

const hourS = 3_600;
const nowS = () => Math.ceil(Date.now() / 1_000);

/** A chain whose first block is of some hours ago, which nobody has watched. */
function eachUnwatched(): { anvil: Anvil; watched: WatchedChain } {
  const anvil = eachTest(
    () => startAnvil({ args: ["--timestamp", String(nowS() - 10 * hourS)] }),
    (one) => one.stop(),
  );
  const watched = eachTest(
    () => watchChain({ rpcUrl: anvil.rpcUrl, depth: 1 }),
    (one) => one.stop(),
  );
  return { anvil, watched };
}

describe("a chain without a first position", () => {
  const { anvil, watched } = eachUnwatched();

  const payAt = async (seconds: number, amountAtomic: bigint) => {
    await anvil.setNextBlockTimestamp(seconds);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic });
  };
  const amounts = async (walletId: string) =>
    (await watched.history(walletId)).map(({ amountAtomic }) => amountAtomic);

  it("begins before a wallet was added, so that no payment since then is missed", async () => {
    await payAt(nowS() - hourS, 1n);
    const walletId = await watched.addWallet(wallet);
    // The times of blocks are whole seconds, and may be some seconds before their payments.
    await payAt(nowS() - 5, 2n);
    await payAt(nowS() + 1, 4n);
    await anvil.mine(20);
    await watched.catchUp();
    expect(await amounts(walletId)).toEqual([2n, 4n]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 7n });
  });

  it("begins there by the chain's own clock, if that is ahead", async () => {
    await payAt(nowS() + hourS, 1n);
    const walletId = await watched.addWallet(wallet);
    await payAt(nowS() + 2 * hourS, 2n);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await amounts(walletId)).toEqual([2n]);
  });

  it("begins with its first block where even that is younger than a wallet", async () => {
    const walletId = await watched.addWallet(wallet);
    await watched.db.$executeRaw`UPDATE watch_change SET created_at = now() - interval '11 hours'`;
    await payAt(nowS() - hourS, 1n);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await amounts(walletId)).toEqual([1n]);
  });

  it("begins at its head where only a wallet that is removed has waited", async () => {
    const removedId = await watched.addWallet(wallet);
    await watched.db.$executeRaw`UPDATE watch_change SET created_at = now() - interval '2 hours'`;
    await payAt(nowS() - hourS, 1n);
    await anvil.mine(2);
    await removeWallet(watched.db, removedId);
    const walletId = await watched.addWallet(wallet);
    await watched.catchUp();
    expect(await amounts(walletId)).toEqual([]);
  });
});

describe("a watcher that has started", () => {
  const { anvil, watched } = eachUnwatched();

  it("has given its chain a first position, so that what is added then misses nothing", async () => {
    // It has no lease: so no loop has read a block.
    const started = watched.newWatcher(async () => false);
    await started.start();
    await started.stop();
    const walletId = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 3n });
    await anvil.mine(20);
    await watched.catchUp();
    expect((await watched.history(walletId)).map(({ type }) => type)).toEqual(["deposit"]);
  });
});
