import { randomUUID } from "node:crypto";
import { secretsOf } from "../config/secrets.ts";
import type { Fault } from "../domain/fault.ts";
import { noSpans } from "../domain/spans.ts";
import { observeLog } from "../metrics/observe-log.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createRedaction } from "../runtime/redaction.ts";
import type { Service } from "../runtime/service.ts";
import { startAll, stopAll } from "../runtime/service-group.ts";
import { thinLog } from "../runtime/thin-log.ts";
import { createWakes } from "../runtime/wakes.ts";
import { createTelemetry } from "../telemetry/telemetry.ts";
import { alertOperators } from "./alerts/alert-operators.ts";
import type { Base } from "./base.ts";
import { deliver } from "./deliver.ts";
import { keepAuditChain } from "./environment/chain-audit.ts";
import type { CompleteConfig } from "./environment/environment.ts";
import { lookForWork } from "./environment/look-for-work.ts";
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
   * Resolves when every part works. When one fails to start, those before it are stopped and its
   * fault is thrown.
   */
  start: () => Promise<void>;
  /** Ends every part, the last started first. Safe to repeat. */
  stop: () => Promise<void>;
  /** Resolves, if ever, with the fault that the process has to end with. */
  outdated: Promise<Fault>;
  /**
   * From now on these and no others open the administration. A process that began without any has
   * none.
   */
  replaceAdminTokens: (tokens: CompleteConfig["adminTokens"]) => void;
  /**
   * Where the API, or health and metrics alone, are answered, after `start`; null where they are
   * not.
   */
  apiUrl: () => string | null;
  /** Where the console is, after `start`; null where it is not served. */
  consoleUrl: () => string | null;
  /** Where operators have a listener of their own, after `start`; null where they have none. */
  operatorUrl: () => string | null;
};

/**
 * The daemon: the parts of its roles, and the order in which they start. The API comes first, so
 * that a port in use is reported before anything else has begun.
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
  // The first to start is the last to end: it sends what the others report until then.
  const services: Service[] = telemetry === null ? [] : [telemetry.service];
  const { isPortGiven, operatorPort } = base.config;
  let onOutdated = (_: Fault): void => {};
  const outdated = new Promise<Fault>((resolve) => {
    onOutdated = resolve;
  });
  const auditChain = keepAuditChain(measured);
  services.push(watchGeneration({ ...measured, onOutdated }), auditChain);
  /** The base with the connections of a role, where this process has the role. */
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
    services.push(watchDisk(measured), watchWorkers(measured), noteSizes(measured));
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
    services.push(...chains.flatMap((chain) => watch(watcher, chain, watching)));
  }
  return {
    start: () => startAll(services),
    stop: () => stopAll(services),
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

/** Null: no spans are sent, and nothing of OpenTelemetry is loaded. */
function openTelemetry({ config, version }: Base, log: Logger) {
  const { spanExport } = config;
  return spanExport === null ? null : createTelemetry({ clock, log }, { ...spanExport, version });
}
