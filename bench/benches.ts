import type { Bench } from "./runner/bench.ts";

const suites: Record<string, readonly [about: string, load: Bench["load"]]> = {
  api: [
    "GET /balance and GET /transactions beside the same statements with nothing around them",
    () => import("./suite/api.ts"),
  ],
  "start-up": [
    "from the start of the process to ready, and what it costs while nothing happens",
    () => import("./suite/start-up.ts"),
  ],
  backfill: [
    "a chain of transfers from its first block into the ledger",
    () => import("./suite/backfill.ts"),
  ],
  growth: [
    "the commit of a block, into an empty ledger and into a full one",
    () => import("./suite/growth.ts"),
  ],
  wallets: [
    "a million watched wallets: their load, their memory, and the match of a block",
    () => import("./suite/wallets.ts"),
  ],
  latency: [
    "from the announcement of a block to the notification of what is in it",
    () => import("./suite/latency.ts"),
  ],
  cost: [
    "what is asked of an endpoint for each block, and what providers charge for it",
    () => import("./suite/cost.ts"),
  ],
  dispatch: [
    "notifications from the ledger to their businesses",
    () => import("./suite/dispatch.ts"),
  ],
  "scale-out": [
    "the same with 1, 2 and 4 dispatcher processes",
    () => import("./suite/scale-out.ts"),
  ],
};

/** Every benchmark by its name, in the order in which they run. */
export const benches: Record<string, Bench> = Object.fromEntries(
  Object.entries(suites).map(([name, [about, load]]) => [name, { about, load }]),
);
