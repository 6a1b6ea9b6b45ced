// Every benchmark by its name. A benchmark is a module with `run({ quick, say })`, which resolves with lines:
//   name        what was measured
//   unit        of ours, baseline and peer, for example "ms", "per s", "MiB"
//   ours        the median of Chainbell's runs
//   baseline    the median of the floor's runs, from the same call, alternating with ours
//   peer        the same of another system, or null where there is none
//   ratio       ours / baseline
//   goal        { atMost } or { atLeast } of the ratio, or null where the line only informs
//   conditions  what was done, in a few words
// It starts what it needs, on free ports with fresh data, and stops it on every path.
export const benches = {
  dispatch: {
    about: "notifications from the ledger to their businesses",
    load: () => import("./suite/dispatch.mjs"),
  },
  "scale-out": {
    about: "the same with 1, 2 and 4 dispatcher processes",
    load: () => import("./suite/scale-out.mjs"),
  },
};
