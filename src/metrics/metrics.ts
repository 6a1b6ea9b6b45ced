import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { LedgerStatus } from "../domain/chain/chain-status.ts";

/** What the gauges are read from, once a scrape. */
export type GaugeSources = {
  readStatus: (nowMs: number) => Promise<LedgerStatus>;
  /** Estimates: to count would read every row. */
  readTableSizes: () => Promise<{ table: string; rows: number }[]>;
  readPrices: () => Promise<
    { chainName: string; assetCode: string; asOf: Date; isFresh: boolean }[]
  >;
  clock: { now: () => number };
};

export type Metrics = ReturnType<typeof createMetrics>;

/** Those that a route may have. A client may send any word. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** From an answer out of memory to the 15 s after which an attempt times out. */
const latencyBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/**
 * What this process counts, and what all of them share as the ledger has it, for Prometheus. Each method is one
 * outcome; none of them waits, throws, or keeps anything of a business.
 */
export function createMetrics(sources: GaugeSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "chainbell_" });
  const readLedger = addLedgerGauges(registry, sources);
  const counters = createCounters(registry);
  let collecting: Promise<string> | null = null;

  async function collect(): Promise<string> {
    try {
      await readLedger();
      return await registry.metrics();
    } finally {
      collecting = null;
    }
  }

  return {
    contentType: registry.contentType,
    /** All of them. However many ask at the same moment, the ledger is read once. */
    text(): Promise<string> {
      collecting ??= collect();
      return collecting;
    },
    requestAnswered(request: {
      method: string;
      route: string | null;
      status: number;
      latencyMs: number;
    }): void {
      // A path without a route may be anything: as a label it would have no bound.
      const labels = {
        method: knownMethods.has(request.method) ? request.method : "other",
        route: request.route ?? "none",
        status: String(request.status),
      };
      counters.requests.observe(labels, request.latencyMs / 1_000);
    },
    rpcAsked(question: {
      chain: string;
      question: string;
      isError: boolean;
      latencyMs: number;
    }): void {
      const { chain, question: name } = question;
      counters.rpc.observe({ chain, question: name }, question.latencyMs / 1_000);
      if (question.isError) counters.rpcErrors.inc({ chain, question: name });
    },
    deliveryAttempted(attempt: { outcome: string; latencyMs: number }): void {
      counters.deliveries.observe({ outcome: attempt.outcome }, attempt.latencyMs / 1_000);
    },
    reorgUndone(chain: string): void {
      counters.reorgs.inc({ chain });
    },
    priceFailed(source: string): void {
      counters.priceErrors.inc({ source });
    },
  };
}

function createCounters(registry: Registry) {
  const registers = [registry];
  const buckets = latencyBuckets;
  return {
    requests: new Histogram({
      name: "chainbell_api_request_seconds",
      help: "Requests answered by the API, by route and status.",
      labelNames: ["method", "route", "status"],
      ...{ buckets, registers },
    }),
    rpc: new Histogram({
      name: "chainbell_rpc_seconds",
      help: "Requests to a chain's endpoints, failover included.",
      labelNames: ["chain", "question"],
      ...{ buckets, registers },
    }),
    rpcErrors: new Counter({
      name: "chainbell_rpc_errors_total",
      help: "Requests that no endpoint answered.",
      labelNames: ["chain", "question"],
      registers,
    }),
    deliveries: new Histogram({
      name: "chainbell_delivery_attempt_seconds",
      help: "Attempts to deliver a notification, by outcome.",
      labelNames: ["outcome"],
      ...{ buckets, registers },
    }),
    reorgs: new Counter({
      name: "chainbell_reorgs_total",
      help: "Reorganisations undone by this process.",
      labelNames: ["chain"],
      registers,
    }),
    priceErrors: new Counter({
      name: "chainbell_price_errors_total",
      help: "Prices that could not be read, by source.",
      labelNames: ["source"],
      registers,
    }),
  };
}

/**
 * What the ledger says. Answers how to read it anew, all of it together: the registry collects its metrics side by side,
 * so that a gauge set by another's collection would be shown one scrape late.
 */
function addLedgerGauges(registry: Registry, sources: GaugeSources): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name: `chainbell_${name}`, help, labelNames, registers: [registry] });
  const chain = ["chain"];
  const gauges = {
    head: gauge("chain_head", "The highest block any endpoint has announced.", chain),
    position: gauge(
      "chain_position",
      "The last block whose movements are all in the ledger.",
      chain,
    ),
    // Until 0.3.0, for dashboards that were built on 0.1.0.
    oldPosition: gauge("chain_cursor", "Deprecated: chainbell_chain_position.", chain),
    confirmed: gauge("chain_confirmed", "Everything up to this block is confirmed.", chain),
    lagBlocks: gauge("chain_lag_blocks", "Blocks between the position and the head.", chain),
    lagSeconds: gauge("chain_lag_seconds", "Age of the position's block while it lags.", chain),
    stopped: gauge(
      "chain_stopped",
      "1 while the chain is stopped, with the code of the reason; 0 with the reason `none`.",
      [...chain, "reason"],
    ),
    chainHeld: gauge(
      "chain_held",
      "Seconds for which something has waited for the word of further endpoints: what, and why; 0 with `none`.",
      [...chain, "what", "reason"],
    ),
    discrepancies: gauge(
      "chain_discrepancies",
      "Open differences between ledger and chain.",
      chain,
    ),
    unproven: gauge(
      "chain_unproven_transactions",
      "Transactions of the coin that their block's balances do not show: not confirmed.",
      chain,
    ),
    rows: gauge("ledger_rows", "Rows of a table, as PostgreSQL estimates them.", ["table"]),
    waiting: gauge("outbox_waiting", "Deliveries that wait for their receiver.", []),
    held: gauge("outbox_held", "Deliveries that wait for an active webhook.", []),
    age: gauge("outbox_oldest_seconds", "Age of the oldest waiting delivery.", []),
    price: gauge("price_age_seconds", "Age of an asset's price.", ["chain", "asset"]),
    fresh: gauge("price_fresh", "1 while an asset's price is fresh.", ["chain", "asset"]),
  };
  const up = gauge("ledger_up", "1 while the ledger could be read for this scrape.", []);
  return async () => {
    const nowMs = sources.clock.now();
    const reading = await readAll(sources, nowMs).catch(() => null);
    for (const each of Object.values(gauges)) each.reset();
    up.set(reading === null ? 0 : 1);
    if (reading !== null) setGauges(gauges, reading, nowMs);
  };
}

async function readAll(sources: GaugeSources, nowMs: number) {
  const status = await sources.readStatus(nowMs);
  const [tables, prices] = [await sources.readTableSizes(), await sources.readPrices()];
  return { ...status, tables, prices };
}

type LedgerGauges = Record<
  | "head"
  | "position"
  | "oldPosition"
  | "confirmed"
  | "lagBlocks"
  | "lagSeconds"
  | "stopped"
  | "chainHeld"
  | "discrepancies"
  | "unproven"
  | "rows"
  | "waiting"
  | "held"
  | "age"
  | "price"
  | "fresh",
  Gauge
>;

function setGauges(
  gauges: LedgerGauges,
  reading: Awaited<ReturnType<typeof readAll>>,
  nowMs: number,
): void {
  const { chains, outbox, tables, prices } = reading;
  for (const status of chains) {
    const labels = { chain: status.name };
    const set = (gauge: Gauge, value: bigint | number | null) => {
      if (value !== null) gauge.set(labels, Number(value));
    };
    set(gauges.head, status.head);
    set(gauges.position, status.position);
    set(gauges.oldPosition, status.position);
    set(gauges.confirmed, status.confirmed);
    set(gauges.lagBlocks, status.lagBlocks);
    set(gauges.lagSeconds, status.lagSeconds);
    const reason = status.stopped?.code ?? "none";
    gauges.stopped.set({ ...labels, reason }, status.stopped === null ? 0 : 1);
    const held = status.reading?.held ?? null;
    gauges.chainHeld.set(
      { ...labels, what: held?.what ?? "none", reason: held?.why ?? "none" },
      held === null ? 0 : Math.max(0, nowMs - held.sinceMs) / 1_000,
    );
    set(gauges.discrepancies, status.discrepancies);
    set(gauges.unproven, status.unproven);
  }
  const oldestMs = outbox.oldestWaitingAt?.getTime() ?? nowMs;
  gauges.waiting.set(outbox.waiting);
  gauges.held.set(outbox.held);
  gauges.age.set(Math.max(0, nowMs - oldestMs) / 1_000);
  for (const { table, rows } of tables) gauges.rows.set({ table }, rows);
  for (const price of prices) {
    const labels = { chain: price.chainName, asset: price.assetCode };
    gauges.price.set(labels, Math.max(0, nowMs - price.asOf.getTime()) / 1_000);
    gauges.fresh.set(labels, price.isFresh ? 1 : 0);
  }
}
