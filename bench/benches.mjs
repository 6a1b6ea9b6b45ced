// Every benchmark by its name. A benchmark is a module with `run({ quick, say })`, which resolves with lines:
//   name        what was measured
//   unit        of ours, baseline and peer, for example "ms", "per s", "MiB"
//   ours        the median of Chainbell's runs
//   baseline    the median of the floor's runs, from the same call, alternating with ours
//   peer        the same of another system, or null where there is none
//   ratio       ours / baseline, or null where there is no baseline
//   goal        { atMost } or { atLeast } of the ratio, { oursAtMost } of ours, or null where the line only informs
//   conditions  what was done, in a few words
// It starts what it needs, on free ports with fresh data, and stops it on every path.
export const benches = {
  api: {
    about: "GET /balance and GET /transactions beside the same statements with nothing around them",
    load: () => import("./suite/api.mjs"),
  },
  "start-up": {
    about: "from the start of the process to ready, and what it costs while nothing happens",
    load: () => import("./suite/start-up.mjs"),
  },
  backfill: {
    about: "a chain of transfers from its first block into the ledger",
    load: () => import("./suite/backfill.mjs"),
  },
  growth: {
    about: "the commit of a block, into an empty ledger and into a full one",
    load: () => import("./suite/growth.mjs"),
  },
  wallets: {
    about: "a million watched wallets: their load, their memory, and the match of a block",
    load: () => import("./suite/wallets.mjs"),
  },
  latency: {
    about: "from the announcement of a block to the notification of what is in it",
    load: () => import("./suite/latency.mjs"),
  },
  dispatch: {
    about: "notifications from the ledger to their businesses",
    load: () => import("./suite/dispatch.mjs"),
  },
  "scale-out": {
    about: "the same with 1, 2 and 4 dispatcher processes",
    load: () => import("./suite/scale-out.mjs"),
  },
};
