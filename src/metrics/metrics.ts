import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { addLedgerGauges, type GaugeSources } from "./ledger-gauges.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/** The methods that a route may have. A client may send any text as a method. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** From an answer out of memory up to 15 s, the time limit of an attempt. */
const latencyBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/**
 * The metrics for Prometheus: the counts of this process, and the state of the ledger that all
 * processes share. Each method records one outcome. None of them waits, throws, or stores data of a
 * business.
 */
export function createMetrics(sources: GaugeSources) {
  const registry = new Registry();
  const ofProcess = registryOfProcess();
  const readLedger = addLedgerGauges(registry, sources);
  const counters = createCounters(registry);
  // Starts at 0, because an alert asks for the increase. The first error may stay the only one for
  // long.
  counters.trouble.inc({ event: "queue.error" }, 0);
  let collecting: Promise<string> | null = null;

  async function collect(): Promise<string> {
    try {
      await readLedger();
      return `${await ofProcess.metrics()}\n${await registry.metrics()}`;
    } finally {
      collecting = null;
    }
  }

  return {
    contentType: registry.contentType,
    /** The text of all metrics. Calls at the same moment share one reading of the ledger. */
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
      // A path without a route may be any text, so as a label it would have no limit.
      const labels = {
        method: knownMethods.has(request.method) ? request.method : "other",
        route: request.route ?? "none",
        status: String(request.status),
      };
      counters.requests.observe(labels, request.latencyMs / 1_000);
    },
    answersHeld(change: 1 | -1): void {
      counters.held.inc(change);
    },
    rpcAsked(question: {
      chain: string;
      question: string;
      isError: boolean;
      latencyMs: number;
    }): void {
      const { chain, question: name } = question;
      counters.rpc.observe({ chain, question: name }, question.latencyMs / 1_000);
      // Starts at 0, so that Prometheus sees the first error as an increase.
      counters.rpcErrors.inc({ chain, question: name }, question.isError ? 1 : 0);
      counters.reorgs.inc({ chain }, 0);
    },
    deliveryAttempted(attempt: { outcome: string; latencyMs: number }): void {
      counters.deliveries.observe({ outcome: attempt.outcome }, attempt.latencyMs / 1_000);
    },
    reorgUndone(chain: string): void {
      counters.reorgs.inc({ chain });
    },
    /** Counts a line of trouble, whether it is written or left out. */
    troubleLogged(event: string): void {
      counters.trouble.inc({ event });
    },
    alertSent(channel: string, result: "sent" | "failed"): void {
      counters.alerts.inc({ channel, result });
    },
    spansDropped(spans: number): void {
      counters.spansDropped.inc(spans);
    },
    priceFailed(source: string): void {
      counters.priceErrors.inc({ source });
    },
  };
}

/** One for all: its timer and its observer of garbage collections go on until the process ends. */
let processRegistry: Registry | null = null;

/**
 * The metrics of the process that prom-client knows. Leaves out three that are only sums of others,
 * and have names like counters.
 */
function registryOfProcess(): Registry {
  if (processRegistry !== null) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry, prefix: "chainbell_" });
  for (const what of ["handles", "requests", "resources"])
    processRegistry.removeSingleMetric(`chainbell_nodejs_active_${what}_total`);
  return processRegistry;
}

function createCounters(registry: Registry) {
  const registers = [registry];
  const buckets = latencyBuckets;
  return {
    requests: new Histogram({
      name: "chainbell_api_request_seconds",
      help: "Requests answered by the API, by route and status; of one that waits for news the time before it waits.",
      labelNames: ["method", "route", "status"],

      buckets,
      registers,
    }),
    held: new Gauge({
      name: "chainbell_api_open_streams",
      help: "Streams of events and waiting requests that are open in this process.",
      registers,
    }),
    rpc: new Histogram({
      name: "chainbell_rpc_seconds",
      help: "Requests to a chain's endpoints, failover included.",
      labelNames: ["chain", "question"],

      buckets,
      registers,
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

      buckets,
      registers,
    }),
    reorgs: new Counter({
      name: "chainbell_reorgs_total",
      help: "Reorganisations undone by this process.",
      labelNames: ["chain"],
      registers,
    }),
    trouble: new Counter({
      name: "chainbell_warnings_total",
      help: "Warnings and errors of this process, by event, those included that the log leaves out because they are repeated.",
      labelNames: ["event"],
      registers,
    }),
    alerts: new Counter({
      name: "chainbell_alerts_sent_total",
      help: "Attempts of this process to alert the operator, by channel and result.",
      labelNames: ["channel", "result"],
      registers,
    }),
    spansDropped: new Counter({
      name: "chainbell_spans_dropped_total",
      help: "OpenTelemetry spans of this process that no collector has taken.",
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
