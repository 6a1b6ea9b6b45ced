import { randomUUID } from "node:crypto";
import { secretsOf } from "../config/secrets.ts";
import type { Fault } from "../domain/fault.ts";
import { noSpans } from "../domain/spans.ts";
import { observeLog } from "../metrics/observe-log.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createRedaction } from "../runtime/redaction.ts";
import type { Service } from "../runtime/service.ts";
import { actingTogether, startAll, stopAll } from "../runtime/service-group.ts";
import { thinLog } from "../runtime/thin-log.ts";
import { createWakes } from "../runtime/wakes.ts";
import { createTelemetry } from "../telemetry/telemetry.ts";
import { alertOperators } from "./alerts/alert-operators.ts";
import type { Base } from "./base.ts";
import { deliver } from "./deliver.ts";
import { keepAuditChain } from "./environment/chain-audit.ts";
import type { CompleteConfig } from "./environment/environment.ts";
import { lookForWork } from "./environment/look-for-work.ts";
import { noteSamples } from "./environment/note-samples.ts";
import { noteSizes } from "./environment/note-sizes.ts";
import { openMetrics } from "./environment/open-metrics.ts";
import { openPool, type PooledRole } from "./environment/pools.ts";
import { watchClock } from "./environment/watch-clock.ts";
import { watchDisk } from "./environment/watch-disk.ts";
import { watchGeneration } from "./environment/watch-generation.ts";
import { watchWorkers } from "./environment/watch-workers.ts";
import { hearNotified } from "./hear-notified.ts";
import { keepPrices } from "./keep-prices.ts";
import { serve } from "./serve.ts";
import { watch } from "./watch-chain.ts";

export type App = {
  /**
   * Resolves when every part works. If one fails to start, stops those that have started, and
   * rejects with its fault.
   */
  start: () => Promise<void>;
  /** Stops every part, the last started first. Safe to repeat, and during a start. */
  stop: () => Promise<void>;
  /** Resolves with a fault if the process has to end with it; otherwise stays pending. */
  outdated: Promise<Fault>;
  /**
   * Replaces the tokens that administrators sign in with. Has no effect on the administration of a
   * process that started without any token: it has none.
   */
  replaceAdminTokens: (tokens: CompleteConfig["adminTokens"]) => void;
  /** The URL of the API, or of health and metrics alone. Null: not served, or not started. */
  apiUrl: () => string | null;
  /** The URL of the console. Null: not served, or not started. */
  consoleUrl: () => string | null;
  /** The URL of the operators' own listener. Null: there is none, or it has not started. */
  operatorUrl: () => string | null;
};

/**
 * Makes the daemon: the parts of its roles, in the order in which they start. The API comes first:
 * a port in use is then reported before anything else has begun.
 */
export function createApp(base: Base): App {
  const { roles, chains } = base.config;
  const metrics = openMetrics(base);
  const redaction = createRedaction(secretsOf(base.config));
  let { adminTokens } = base.config;
  const log = observeLog(thinLog(base.log, clock), metrics);
  const telemetry = openTelemetry(base, log);
  const measured = {
    ...base,
    metrics,
    redaction,
    adminTokens: () => adminTokens,
    log,
    spans: telemetry?.spans ?? noSpans,
  };
  // The first part to start is the last to stop, so it can send the spans of all others.
  const services: Service[] = telemetry === null ? [] : [telemetry.service];
  const { isPortGiven, operatorPort } = base.config;
  let onOutdated = (_: Fault): void => {};
  const outdated = new Promise<Fault>((resolve) => {
    onOutdated = resolve;
  });
  const auditChain = keepAuditChain(measured);
  services.push(watchGeneration({ ...measured, onOutdated }), auditChain);
  /**
   * The base with a role's own connections if this process has the role; else the base as it is.
   */
  const withPool = (role: PooledRole) => {
    if (!roles.has(role)) return measured;
    const { db, service } = openPool(base, role);
    services.push(service);
    return { ...measured, db };
  };
  const listens = roles.has("api") || isPortGiven || operatorPort !== null;
  const notified = createWakes();
  const served = listens ? serve(withPool("api"), { services: () => services, notified }) : null;
  if (served !== null) services.push(...served.parts, ...served.servers);
  if (roles.has("api"))
    services.push(
      watchDisk(measured),
      watchWorkers(measured),
      noteSizes(measured),
      noteSamples(measured),
    );
  if (roles.has("dispatcher")) services.push(watchClock(measured));
  if (roles.has("watcher") || roles.has("api")) services.push(keepPrices(measured));
  const { alerts } = base.config;
  if (alerts !== null) services.push(alertOperators(measured, alerts));
  const delivers = roles.has("relay") || roles.has("dispatcher");
  const { parts, wake, wakeReassigner } = delivers
    ? deliver(measured, { relay: withPool("relay").db, dispatcher: withPool("dispatcher").db })
    : { parts: [], wake: () => {}, wakeReassigner: () => {} };
  services.push(...parts);
  services.push(lookForWork(measured, { audit: auditChain.wake, deliveries: wakeReassigner }));
  if (roles.has("api") || roles.has("relay"))
    services.push(hearNotified(measured, { wakeRelay: wake, notified }));
  const watching = { holder: randomUUID(), onNotified: wake };
  if (roles.has("watcher")) {
    const watcher = withPool("watcher");
    // A silent endpoint takes long, and other chains need not wait for it.
    services.push(...actingTogether(chains.map((chain) => watch(watcher, chain, watching))));
  }
  const stopping = new AbortController();
  return {
    start: () => startAll(services, stopping.signal),
    stop() {
      stopping.abort();
      return stopAll(services);
    },
    outdated,
    replaceAdminTokens(tokens) {
      redaction.learn(tokens.map(({ token }) => token));
      adminTokens = tokens;
    },
    apiUrl: () => served?.url() ?? null,
    consoleUrl: () => served?.console?.address().url ?? null,
    operatorUrl: () => served?.operator?.address().url ?? null,
  };
}

/** Null: no spans are exported, and OpenTelemetry is not loaded. */
function openTelemetry({ config, version }: Base, log: Logger) {
  const { spanExport } = config;
  return spanExport === null ? null : createTelemetry({ clock, log }, { ...spanExport, version });
}
