import { openKeptDatabase } from "../ledger/kept-database.ts";
import { type WatchedChain, type WatchOptions, watchInLedger } from "../ledger/watch-in-ledger.ts";
import type { Anvil } from "./anvil.ts";
import { wallet } from "./cast.ts";

export type { WatchedChain };

/** One chain watched by hand in a fresh ledger, which nobody else uses until `stop`. */
export async function watchChain(options: WatchOptions) {
  const { db, url, stop: close } = await openKeptDatabase();
  const ledger = { db, url, close };
  const watched = await watchInLedger({ ledger, chainName: "anvil" }, options);
  return {
    ...watched,
    async stop() {
      await watched.stop();
      await close();
    },
  };
}

/**
 * Watches a wallet, and goes on until its opening has been read and confirmed at a depth of two.
 */
export async function openWallet(
  watched: WatchedChain,
  anvil: Pick<Anvil, "mine">,
  address: string = wallet,
): Promise<string> {
  const walletId = await watched.addWallet(address);
  await anvil.mine(2);
  await watched.catchUp();
  return walletId;
}
