import { openDatabase } from "../../../src/ledger/postgres/database.ts";
import { createTestDatabase } from "../ledger/postgres.ts";
import { type WatchOptions, watchInLedger } from "../ledger/watch-in-ledger.ts";

export type { WatchedChain } from "../ledger/watch-in-ledger.ts";

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
