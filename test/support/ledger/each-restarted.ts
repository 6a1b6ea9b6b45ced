import type { RpcProxy } from "../chain/rpc-proxy.ts";
import { eachTest } from "../each-test.ts";
import { quiet } from "../quiet.ts";
import { createSkippingClock } from "../skipping-clock.ts";
import { openKeptDatabase } from "./kept-database.ts";
import { type WatchedChain, watchInLedger } from "./watch-in-ledger.ts";

type Options = Partial<Parameters<typeof watchInLedger>[1]>;

/** A ledger for each test, and watchers that start on it one after the other, by one clock. */
export function eachRestarted() {
  return eachTest(open, (opened) => opened.close());
}

async function open() {
  const { db, url, stop } = await openKeptDatabase();
  const clock = createSkippingClock();
  const watchers: WatchedChain[] = [];
  return {
    db,
    clock,

    /** The daemon, started on the same ledger each time, beside these endpoints. */
    async watch(endpoints: readonly RpcProxy[], options: Options): Promise<WatchedChain> {
      const rpcUrls = endpoints.map(({ url }) => url);
      const ledger = { db, url, close: async () => {} };
      const watched = await watchInLedger(
        { ledger, chainName: "anvil" },
        {
          rpcUrl: rpcUrls[0] ?? "",
          rpcUrls,
          depth: 2,
          clock,
          log: quiet,
          ...options,
        },
      );
      watchers.push(watched);
      return watched;
    },

    async close() {
      for (const watched of watchers) await watched.stop();
      await stop();
    },
  };
}
