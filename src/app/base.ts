import type { ConfigFault } from "../config/config-fault.ts";
import { longestSendMs } from "../domain/delivery/claim.ts";
import type { ChainAssets } from "../domain/money/asset.ts";
import type { Spans } from "../domain/spans.ts";
import { decryptSecret } from "../domain/webhook/secret.ts";
import type { Database } from "../ledger/postgres/database.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Redaction } from "../runtime/redaction.ts";
import { createResolveHost } from "../webhook/resolve-host.ts";
import { createSender, type WebhookSender } from "../webhook/sender.ts";
import type { CompleteConfig } from "./environment/environment.ts";

/**
 * The things that the parts of the app share. The caller of `createApp` opens it, and closes it.
 */
export type Base = {
  config: CompleteConfig;
  /** The chains and assets that the configuration file watches, whether or not they are applied. */
  configured: readonly ChainAssets[];
  /**
   * Reads the file and the environment again, and returns the faults that would prevent a restart.
   */
  findConfigFaults: () => Promise<readonly ConfigFault[]>;
  db: Database;
  /** The id of this database. No other database has the same. */
  installation: string;
  log: Logger;
  version: string;
};

/** The base with metrics and spans. Its redaction removes secrets from texts. */
export type MeasuredBase = Base & {
  metrics: Metrics;
  redaction: Redaction;
  spans: Spans;
  /** The admin tokens as they are at this moment. */
  adminTokens: () => CompleteConfig["adminTokens"];
};

export const userAgentOf = (version: string) => `Chainbell/${version}`;

/** Decrypts the secrets of webhooks, as decryptSecret does with the installation's keys. */
export const decryptOf =
  ({ config }: Base) =>
  (ciphertext: string, businessId: string): string =>
    decryptSecret(config.encryptionKeys, ciphertext, businessId);

/** Opens the only sender of webhooks: deliveries and tests both use it. */
export function openSender({ config, version }: Base): WebhookSender {
  return createSender({
    policy: config.webhooks.targets,
    timeoutMs: longestSendMs,
    userAgent: userAgentOf(version),
    extraCa: null,
    proxyUrl: config.webhooks.proxyUrl,
    resolve: createResolveHost(),
    clock,
  });
}
