import { openDatabase } from "../../../src/ledger/postgres/database.ts";
import { createTestDatabase } from "../ledger/postgres.ts";
import { type WatchedChain, type WatchOptions, watchInLedger } from "../ledger/watch-in-ledger.ts";
import type { Anvil } from "./anvil.ts";
import { wallet } from "./cast.ts";

export type { WatchedChain };

/** One chain watched by hand in a fresh ledger. `stop` drops its database. */
export async function watchChain(options: WatchOptions) {
  const database = await createTestDatabase();
  const db = openDatabase({ databaseUrl: database.url, poolSize: 4 });
  const close = async () => {
    await db.$disconnect();
    await database.drop();
  };
  const ledger = { db, url: database.url, close };
  const watched = await watchInLedger({ ledger, chainName: "anvil" }, options);
  return {
    ...watched,
    async stop() {
      await watched.stop();
      await close();
    },
  };
}

/** Watches a wallet, and goes on until its opening has been read and confirmed at a depth of two. */
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
