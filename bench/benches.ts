import type { Bench } from "./runner/bench.ts";

/** Every benchmark by its name, in the order in which they run. */
export const benches: Record<string, Bench> = {
  api: {
    about: "GET /balance and GET /transactions beside the same statements with nothing around them",
    load: () => import("./suite/api.ts"),
  },
  "start-up": {
    about: "from the start of the process to ready, and what it costs while nothing happens",
    load: () => import("./suite/start-up.ts"),
  },
  backfill: {
    about: "a chain of transfers from its first block into the ledger",
    load: () => import("./suite/backfill.ts"),
  },
  growth: {
    about: "the commit of a block, into an empty ledger and into a full one",
    load: () => import("./suite/growth.ts"),
  },
  wallets: {
    about: "a million watched wallets: their load, their memory, and the match of a block",
    load: () => import("./suite/wallets.ts"),
  },
  latency: {
    about: "from the announcement of a block to the notification of what is in it",
    load: () => import("./suite/latency.ts"),
  },
  dispatch: {
    about: "notifications from the ledger to their businesses",
    load: () => import("./suite/dispatch.ts"),
  },
  "scale-out": {
    about: "the same with 1, 2 and 4 dispatcher processes",
    load: () => import("./suite/scale-out.ts"),
  },
};
