import { keysOf } from "../src/domain/keys-of.ts";
import type { Bench } from "./runner/bench.ts";

const loads = {
  api: () => import("./suite/api.ts"),
  "start-up": () => import("./suite/start-up.ts"),
  idle: () => import("./suite/idle.ts"),
  backfill: () => import("./suite/backfill.ts"),
  growth: () => import("./suite/growth.ts"),
  storage: () => import("./suite/storage.ts"),
  wallets: () => import("./suite/wallets.ts"),
  statements: () => import("./suite/statements.ts"),
  books: () => import("./suite/books.ts"),
  console: () => import("./suite/console.ts"),
  "open-pages": () => import("./suite/open-pages.ts"),
  latency: () => import("./suite/latency.ts"),
  distance: () => import("./suite/distance.ts"),
  "fast-chain": () => import("./suite/fast-chain.ts"),
  cost: () => import("./suite/cost.ts"),
  dispatch: () => import("./suite/dispatch.ts"),
  spans: () => import("./suite/spans.ts"),
  "scale-out": () => import("./suite/scale-out.ts"),
  feed: () => import("./suite/feed.ts"),
} satisfies Record<string, Bench["load"]>;

const abouts: Record<keyof typeof loads, string> = {
  api: "GET /balance and GET /transactions beside the same statements with nothing around them",
  "start-up": "from the start of the process to ready, and what it costs while nothing happens",
  idle: "the statements that PostgreSQL is asked while nobody is paid",
  backfill: "a chain of transfers from its first block into the ledger",
  growth: "the commit of a block, into an empty ledger and into a full one",
  storage: "what a delivered transaction takes in tables, in indexes and in the write-ahead log",
  wallets: "a million watched wallets: their load, their memory, and the match of a block",
  statements: "a signed statement of a million entries: its time, and its memory",
  books: "a million credits compared, and what others wait while a large statement is given",
  console: "the pages of the console over a million transactions",
  "open-pages": "what ten open pages of the console cost",
  latency: "from the announcement of a block to the notification of what is in it",
  distance: "the same with a PostgreSQL that is far away, and the round trips that are waited for",
  "fast-chain": "the same on a chain with a block every 200 ms, and what such a chain costs",
  cost: "what is asked of an endpoint for each block, and what providers charge for it",
  dispatch: "notifications from the ledger to their businesses",
  spans: "what OpenTelemetry spans cost on that way",
  "scale-out": "the same with 1, 2 and 4 dispatcher processes",
  feed: "the events that a reader of the feed takes in a second, and what waiting readers cost",
};

/**
 * Every benchmark by its name, in the order in which they run. No release has a benchmark of its
 * own of what is asked for.
 */
export const benches: Record<string, Bench> = Object.fromEntries(
  keysOf(loads).map((name) => {
    const needs = name === "cost" ? "daemon" : "programs";
    const sharesLedger = name === "api" || name === "growth";
    return [name, { about: abouts[name], needs, sharesLedger, load: loads[name] }];
  }),
);
