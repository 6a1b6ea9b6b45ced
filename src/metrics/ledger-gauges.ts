import { Gauge, type Registry } from "prom-client";
import type { WebhookTrouble } from "../domain/alerts/conditions.ts";
import type { LedgerStatus } from "../domain/chain/chain-status.ts";
import type { Liveness } from "../domain/liveness.ts";
import type { Lines } from "../domain/webhook/registration.ts";

/** The sources of the gauges, read once for each scrape. */
export type GaugeSources = {
  readStatus: (nowMs: number) => Promise<LedgerStatus>;
  readLiveness: () => Promise<Liveness>;
  readWebhookTrouble: () => Promise<WebhookTrouble>;
  /** Estimated, because counting would read every row. */
  readTableSizes: () => Promise<{ table: string; rows: number }[]>;
  readPrices: () => Promise<
    { chainName: string; assetCode: string; asOf: Date; isFresh: boolean }[]
  >;
  readAuditWaiting: () => Promise<{ since: Date | null; refused: number }>;
  readVacuuming: () => Promise<{ oldestSnapshotMs: number; dueDeadRows: number }>;
  /** The lines of all webhooks that have an order. */
  readLines: () => Promise<Lines>;
  clock: { now: () => number };
};

/**
 * Adds gauges of the ledger, and returns a function that reads all of them together. The registry
 * collects its metrics concurrently. So if the collection of one gauge set another gauge, that one
 * would be shown one scrape late.
 */
export function addLedgerGauges(registry: Registry, sources: GaugeSources): () => Promise<void> {
  const gauges = createGauges(registry);
  const up = gaugeIn(registry)(
    "ledger_up",
    "1 while the ledger could be read for this scrape.",
    [],
  );
  return async () => {
    const nowMs = sources.clock.now();
    const reading = await readAll(sources, nowMs).catch(() => null);
    for (const each of Object.values(gauges)) each.reset();
    up.set(reading === null ? 0 : 1);
    if (reading !== null) setGauges(gauges, reading, nowMs);
  };
}

function gaugeIn(registry: Registry) {
  return (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name: `chainbell_${name}`, help, labelNames, registers: [registry] });
}

function createGauges(registry: Registry) {
  return {
    ...createChainGauges(registry),
    ...createBalanceGauges(registry),
    ...createEndpointGauges(registry),
    ...createOtherGauges(registry),
  };
}

function createChainGauges(registry: Registry) {
  const gauge = gaugeIn(registry);
  const chain = ["chain"];
  return {
    head: gauge("chain_head", "The highest block any endpoint has announced.", chain),
    position: gauge(
      "chain_position",
      "The last block whose movements are all in the ledger.",
      chain,
    ),
    // Until 0.4.0, for dashboards that were built on 0.1.0.
    oldPosition: gauge("chain_cursor", "Deprecated: chainbell_chain_position.", chain),
    confirmed: gauge("chain_confirmed", "Everything up to this block is confirmed.", chain),
    lagBlocks: gauge("chain_lag_blocks", "Blocks between the position and the head.", chain),
    lagSeconds: gauge(
      "chain_lag_seconds",
      "From the position's block to the head, by the blocks' times.",
      chain,
    ),
    readAge: gauge(
      "chain_read_age_seconds",
      "Age of the position's block, by its own time; it also grows while nothing watches the chain.",
      chain,
    ),
    watched: gauge("chain_watched", "1 while a process watches the chain.", chain),
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
    upgrade: gauge(
      "chain_upgrade_seconds",
      "Seconds until an upgrade that this version does not read; there from four weeks before it.",
      [...chain, "upgrade"],
    ),
  };
}

/** Gauges of how many of a chain's balances are known to be right. */
function createBalanceGauges(registry: Registry) {
  const gauge = gaugeIn(registry);
  const ofChain = (name: string, help: string) => gauge(name, help, ["chain"]);
  return {
    discrepancies: ofChain("chain_discrepancies", "Open differences between ledger and chain."),
    compared: ofChain(
      "chain_compared",
      "Height up to which a comparison found the ledger equal to the chain's balances. It is up to one comparison's interval below the confirmed height.",
    ),
    unproven: ofChain(
      "chain_unproven_transactions",
      "Transactions of the coin that their block's balances do not show: not confirmed.",
    ),
    openingsAnswered: ofChain(
      "chain_openings_answered",
      "Balances whose opening one endpoint alone has said.",
    ),
    balances: gauge(
      "chain_balances_proof",
      "1 for what showed the balances that were read last: state, agreed or answered (by one endpoint alone).",
      ["chain", "proof"],
    ),
  };
}

/** As the process that watches the chain reports them. */
function createEndpointGauges(registry: Registry) {
  const gauge = gaugeIn(registry);
  const endpoint = ["chain", "endpoint"];
  return {
    endpointScore: gauge(
      "endpoint_score",
      "1 while an endpoint answers well, falling towards 0 with each failure.",
      endpoint,
    ),
    endpointSilent: gauge(
      "endpoint_silent_seconds",
      "Seconds for which an endpoint has answered nothing; 0 while it answers.",
      endpoint,
    ),
    endpointLatency: gauge(
      "endpoint_latency_seconds",
      "The average time of an endpoint's last twenty answers or so.",
      endpoint,
    ),
    endpointHead: gauge("endpoint_head", "The head that an endpoint named last.", endpoint),
  };
}

function createOtherGauges(registry: Registry) {
  const gauge = gaugeIn(registry);
  return {
    webhooksDeactivated: gauge(
      "webhooks_deactivated",
      "Webhooks that are registered and not active.",
      [],
    ),
    webhookFailing: gauge(
      "webhook_failing_seconds",
      "Since an active webhook last answered well, by its id, for the fifty that have failed longest.",
      ["webhook"],
    ),
    rows: gauge("ledger_rows", "Rows of a table, as PostgreSQL estimates them.", ["table"]),
    waiting: gauge("outbox_waiting", "Deliveries that wait for their receiver.", []),
    held: gauge("outbox_held", "Deliveries that wait for an active webhook.", []),
    age: gauge("outbox_oldest_seconds", "Age of the oldest waiting delivery.", []),
    late: gauge(
      "outbox_late_seconds",
      "For how long a delivery has been due whose receiver does not fail; 0 where none is.",
      [],
    ),
    dispatchers: gauge("dispatchers", "Processes that send notifications.", []),
    relays: gauge("relays", "Processes that pass on what is due to those that send.", []),
    claim: gauge(
      "claim_seconds",
      "The slowest claim of due deliveries in the last seconds, of all relays.",
      [],
    ),
    auditWaiting: gauge(
      "audit_waiting_seconds",
      "Since the oldest entry of the audit trail waits for its place in the chain; 0 where none does.",
      [],
    ),
    auditRefused: gauge(
      "audit_refused",
      "Entries of the audit trail that Chainbell did not write.",
      [],
    ),
    oldestSnapshot: gauge(
      "database_oldest_snapshot_seconds",
      "Age of the oldest snapshot that is held in the database; 0 where none is.",
      [],
    ),
    dueDeadRows: gauge(
      "due_dead_rows",
      "Dead rows of the table of due deliveries, as PostgreSQL estimates them.",
      [],
    ),
    linesHeld: gauge(
      "order_held_wallets",
      "Wallets that a given-up notification holds, at webhooks with an order.",
      [],
    ),
    linesAge: gauge(
      "order_oldest_seconds",
      "Age of the oldest notification that a wallet waits for, at webhooks with an order; 0 where none does.",
      [],
    ),
    price: gauge("price_age_seconds", "Age of an asset's price.", ["chain", "asset"]),
    fresh: gauge("price_fresh", "1 while an asset's price is fresh.", ["chain", "asset"]),
  };
}

async function readAll(sources: GaugeSources, nowMs: number) {
  const status = await sources.readStatus(nowMs);
  const [tables, prices] = [await sources.readTableSizes(), await sources.readPrices()];
  const liveness = await sources.readLiveness();
  const webhooks = await sources.readWebhookTrouble();
  const audit = await sources.readAuditWaiting();
  const vacuuming = await sources.readVacuuming();
  const lines = await sources.readLines();
  return { ...status, tables, prices, liveness, webhooks, audit, vacuuming, lines };
}

type Gauges = ReturnType<typeof createGauges>;

function setGauges(
  gauges: Gauges,
  reading: Awaited<ReturnType<typeof readAll>>,
  nowMs: number,
): void {
  const { chains, outbox, tables, prices, liveness, webhooks, audit, vacuuming, lines } = reading;
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
    if (status.positionTime !== null) set(gauges.readAge, secondsSince(status.positionTime, nowMs));
    set(gauges.watched, liveness.watched.includes(status.name) ? 1 : 0);
    const reason = status.stopped?.code ?? "none";
    gauges.stopped.set({ ...labels, reason }, status.stopped === null ? 0 : 1);
    const held = status.reading?.held ?? null;
    gauges.chainHeld.set(
      { ...labels, what: held?.what ?? "none", reason: held?.why ?? "none" },
      held === null ? 0 : Math.max(0, nowMs - held.sinceMs) / 1_000,
    );
    const upgrade = status.reading?.upgrade ?? null;
    if (upgrade !== null)
      gauges.upgrade.set(
        { ...labels, upgrade: upgrade.name },
        Math.floor((upgrade.atMs - nowMs) / 1_000),
      );
    set(gauges.discrepancies, status.discrepancies);
    set(gauges.compared, status.agreed);
    set(gauges.unproven, status.unproven);
    set(gauges.openingsAnswered, status.openingsAnswered);
    const proof = status.reading?.balances ?? null;
    if (proof !== null) gauges.balances.set({ ...labels, proof }, 1);
    for (const { name, score, head, latencyMs, silentMs } of status.reading?.endpoints ?? []) {
      const endpoint = { ...labels, endpoint: name };
      gauges.endpointScore.set(endpoint, score);
      gauges.endpointSilent.set(endpoint, (silentMs ?? 0) / 1_000);
      if (latencyMs !== null) gauges.endpointLatency.set(endpoint, latencyMs / 1_000);
      if (head !== null) gauges.endpointHead.set(endpoint, Number(head));
    }
  }
  const oldestMs = outbox.oldestWaitingAt?.getTime() ?? nowMs;
  gauges.waiting.set(outbox.waiting);
  gauges.held.set(outbox.held);
  gauges.age.set(Math.max(0, nowMs - oldestMs) / 1_000);
  gauges.late.set(outbox.lateSince === null ? 0 : secondsSince(outbox.lateSince, nowMs));
  gauges.linesHeld.set(lines.held);
  gauges.linesAge.set(lines.oldestWaitingAt ? secondsSince(lines.oldestWaitingAt, nowMs) : 0);
  gauges.webhooksDeactivated.set(webhooks.deactivated);
  for (const { webhookId, since } of webhooks.failing)
    gauges.webhookFailing.set({ webhook: webhookId }, secondsSince(since, nowMs));
  gauges.dispatchers.set(liveness.dispatchers);
  gauges.relays.set(liveness.relays ?? 0);
  gauges.claim.set(liveness.claimMs / 1_000);
  gauges.auditWaiting.set(audit.since === null ? 0 : secondsSince(audit.since, nowMs));
  gauges.auditRefused.set(audit.refused);
  gauges.oldestSnapshot.set(vacuuming.oldestSnapshotMs / 1_000);
  gauges.dueDeadRows.set(vacuuming.dueDeadRows);
  for (const { table, rows } of tables) gauges.rows.set({ table }, rows);
  for (const price of prices) {
    const labels = { chain: price.chainName, asset: price.assetCode };
    gauges.price.set(labels, secondsSince(price.asOf, nowMs));
    gauges.fresh.set(labels, price.isFresh ? 1 : 0);
  }
}

function secondsSince(time: Date, nowMs: number): number {
  return Math.max(0, nowMs - time.getTime()) / 1_000;
}
