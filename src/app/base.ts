import type { ChainAssets } from "../domain/money/asset.ts";
import type { Spans } from "../domain/spans.ts";
import type { Database } from "../ledger/postgres/database.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Redaction } from "../runtime/redaction.ts";
import { createResolveHost } from "../webhook/resolve-host.ts";
import { createSender, type WebhookSender } from "../webhook/sender.ts";
import type { CompleteConfig } from "./environment/environment.ts";

/** Shared by the parts of the app. The maker of the app makes it and closes it. */
export type Base = {
  config: CompleteConfig;
  /** The chains and assets that the configuration file watches, applied or not. */
  configured: readonly ChainAssets[];
  /**
   * Finds the faults of file and environment as they are now. The next start would be refused for
   * them.
   */
  findConfigFaults: () => Promise<readonly { path: string; message: string }[]>;
  db: Database;
  /** The id of this database, different from that of any other. */
  installation: string;
  log: Logger;
  version: string;
};

/**
 * The base with metrics and spans, once the app is made. Its redaction keeps secrets out of texts.
 */
export type MeasuredBase = Base & {
  metrics: Metrics;
  redaction: Redaction;
  spans: Spans;
  /** The admin tokens as they are now. */
  adminTokens: () => CompleteConfig["adminTokens"];
};

/** docs/contract.md#delivery-and-retries: DNS, connect, TLS, headers and body together. */
export const sendTimeoutMs = 15_000;

export const userAgentOf = (version: string) => `Chainbell/${version}`;

/** Sends to businesses, for deliveries and for tests alike: nothing else does. */
export function openSender({ config, version }: Base): WebhookSender {
  return createSender({
    policy: config.webhooks.targets,
    timeoutMs: sendTimeoutMs,
    userAgent: userAgentOf(version),
    extraCa: null,
    proxyUrl: config.webhooks.proxyUrl,
    resolve: createResolveHost(),
    clock,
  });
}
