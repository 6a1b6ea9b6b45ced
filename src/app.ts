import { randomUUID } from "node:crypto";
import { type ApiServer, createApiServer } from "./api/server.ts";
import { type ChainSource, createChainSource } from "./chain/chain-source.ts";
import { createCommands } from "./commands/commands.ts";
import type { ChainConfig, Config } from "./config.ts";
import { createDispatcher } from "./dispatcher/dispatcher.ts";
import { decryptSecret } from "./domain/secret.ts";
import type { CompleteConfig } from "./environment.ts";
import { createAdministration } from "./ledger/administration.ts";
import { createBusinessView } from "./ledger/business-view.ts";
import type { Database } from "./ledger/database.ts";
import { createDelivering, type Delivering } from "./ledger/delivering.ts";
import { listenForOutbox, signalOutbox } from "./ledger/outbox-signal.ts";
import { createWatching } from "./ledger/watching.ts";
import { createOutbox } from "./outbox/outbox.ts";
import { createFixedPrices } from "./price/fixed-prices.ts";
import {
  type DeliveryQueue,
  openDeliveryQueue,
  type QueueBackend,
} from "./queue/delivery-queue.ts";
import { systemClock as clock } from "./runtime/clock.ts";
import type { Logger } from "./runtime/logger.ts";
import { closing, type Service } from "./runtime/service.ts";
import { startAll, stopAll } from "./runtime/service-group.ts";
import { createWatchLease } from "./watcher/lease.ts";
import { createWatcher } from "./watcher/watcher.ts";
import { createTargetCheck } from "./webhook/check-target.ts";
import { createResolveHost } from "./webhook/resolve-host.ts";
import { createSender } from "./webhook/sender.ts";

const seconds = 1_000;

/** One answer of an endpoint; a full block of a busy chain takes seconds. */
const rpcTimeoutMs = 10 * seconds;

/** CONTRACT.md section 2: DNS, connect, TLS, headers and body together. */
const sendTimeoutMs = 15 * seconds;

/** Of the 20 s in which the daemon ends: what is being sent gets its whole time. */
const stopWithinMs = 16 * seconds;

/** Deliveries in flight of one dispatcher: enough for 2,000 a second to receivers that take 100 ms. */
const dispatcherSlots = 200;

/** What the parts share; made and closed by whoever makes the app. */
export type Base = {
  config: CompleteConfig;
  db: Database;
  /** What tells this database from any other. */
  installation: string;
  log: Logger;
  version: string;
};

export type App = {
  /** Resolves when every part works. When one cannot, those before it are stopped and its fault is thrown. */
  start: () => Promise<void>;
  /** Ends every part, the last started first. Safe to repeat. */
  stop: () => Promise<void>;
  /** Where the API listens, after `start`; null without the api role. */
  apiUrl: () => string | null;
};

/**
 * The daemon: builds the parts of its roles, hands them to each other, and says in which order they start. Wires and
 * decides nothing. The API comes first, so that a port in use is told before anything else has begun.
 */
export function createApp(base: Base): App {
  const { roles, chains } = base.config;
  const services: Service[] = [];
  const sources = new Map(
    roles.has("watcher") ? chains.map((chain) => [chain.name, openSource(base, chain)]) : [],
  );
  const api = roles.has("api") ? serveApi(base, { services: () => services, sources }) : null;
  if (api !== null) services.push(api);
  if (roles.has("relay") || roles.has("dispatcher")) services.push(...deliver(base));
  for (const chain of chains) {
    const source = sources.get(chain.name);
    if (source !== undefined) services.push(...watch(base, chain, source));
  }
  return {
    start: () => startAll(services),
    stop: () => stopAll(services),
    apiUrl: () => api?.address().url ?? null,
  };
}

function openSource({ log }: Base, chain: ChainConfig): ChainSource {
  return createChainSource(
    { clock, log },
    { ...chain, urls: chain.rpcUrls, timeoutMs: rpcTimeoutMs },
  );
}

function watch({ db, log }: Base, chain: ChainConfig, source: ChainSource): Service[] {
  const ledger = createWatching(db);
  const lease = createWatchLease(
    { ledger, clock },
    { name: `watcher:${chain.name}`, holder: randomUUID() },
  );
  const watcher = createWatcher(
    { chain: source, ledger, lease, clock, log },
    {
      chainName: chain.name,
      chainId: chain.chainId,
      startBlock: chain.startBlock,
      policy: chain.confirmations,
      pollMs: chain.pollMs,
    },
  );
  return [closing(`endpoints:${chain.name}`, source.close), watcher];
}

function deliver(base: Base): Service[] {
  const { config, db, log } = base;
  const schedule = config.webhooks.scheduleMs;
  const ledger = createDelivering(db, {
    inFlight: config.webhooks.inFlight,
    schedule,
    random: Math.random,
  });
  const queue = openDeliveryQueue({
    backend: queueBackend(base),
    onError: (error) => log.warn({ error }, "queue.error"),
  });
  const parts: Service[] = [closing("queue", queue.close)];
  const signal = () =>
    signalOutbox(db).catch((error: unknown) => log.debug({ error }, "outbox.not_signalled"));
  const outbox = config.roles.has("relay")
    ? createOutbox({ ledger, queue, clock, log, pollMs: seconds, sweepEveryMs: 2 * seconds })
    : null;
  if (config.roles.has("dispatcher"))
    parts.push(...send(base, { ledger, queue, onRecorded: outbox?.wake ?? signal }));
  if (outbox !== null) {
    const onError = (error: unknown) => log.warn({ error }, "outbox.listening_failed");
    parts.push(
      outbox,
      listenForOutbox({ databaseUrl: config.databaseUrl, onSignal: outbox.wake, onError, clock }),
    );
  }
  return parts;
}

function send(
  base: Base,
  to: { ledger: Delivering; queue: DeliveryQueue; onRecorded: () => void },
): Service[] {
  const { config, log, version } = base;
  const sender = createSender({
    policy: config.webhooks.targets,
    timeoutMs: sendTimeoutMs,
    userAgent: `Chainbell/${version}`,
    extraCa: null,
    resolve: createResolveHost(),
    clock,
  });
  const dispatcher = createDispatcher({
    ledger: to.ledger,
    sender,
    createConsumer: to.queue.createConsumer,
    decrypt: (ciphertext) => decryptSecret(config.encryptionKey, ciphertext),
    schedule: config.webhooks.scheduleMs,
    random: Math.random,
    clock,
    log,
    slots: dispatcherSlots,
    onRecorded: to.onRecorded,
    heartbeatMs: 5 * seconds,
    stopWithinMs,
  });
  return [closing("sender", sender.close), dispatcher];
}

function queueBackend({ config, installation }: Base): QueueBackend {
  return config.queue === "redis" && config.redisUrl !== null
    ? { kind: "redis", url: config.redisUrl, namespace: `chainbell_${installation}` }
    : { kind: "postgres", databaseUrl: config.databaseUrl, namespace: "chainbell_queue" };
}

function serveApi(
  { config, db, log }: Base,
  parts: { services: () => Service[]; sources: ReadonlyMap<string, ChainSource> },
): ApiServer {
  const { services, sources } = parts;
  const policies = new Map(config.chains.map((chain) => [chain.name, chain.confirmations]));
  const chainNames = config.chains.map((chain) => chain.name);
  const { priceOf } = createFixedPrices(configuredPrices(config), clock.now());
  const policy = config.webhooks.targets;
  const deps = {
    ...createBusinessView(db),
    priceOf,
    requiredConfirmations: (chainName: string) => {
      const policy = policies.get(chainName);
      return policy?.kind === "depth" ? policy.depth : null;
    },
    checkTarget: createTargetCheck({
      policy,
      resolve: createResolveHost(),
      timeoutMs: sendTimeoutMs,
    }),
    encryptionKey: config.encryptionKey,
    adminTokens: config.adminTokens,
    commands: createCommands({
      ledger: createAdministration(db),
      chainNames,
      readingOf: (chainName) => sources.get(chainName)?.status() ?? null,
      clock,
    }),
    health: () => healthOf(services()),
    clock,
    log,
  };
  return createApiServer(deps, { host: config.host, port: config.port });
}

function healthOf(services: Service[]) {
  const told = services.map((service) => ({ name: service.name, trouble: service.trouble() }));
  return { ready: told.every(({ trouble }) => trouble === null), services: told };
}

function configuredPrices(config: Config) {
  return config.chains.flatMap((chain) =>
    [chain.nativeAsset, ...chain.assets].flatMap(({ code, usd }) =>
      usd === null ? [] : [{ chainName: chain.name, assetCode: code, usd }],
    ),
  );
}
