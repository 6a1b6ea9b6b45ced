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

/** What the parts share; made and closed by whoever makes the app. */
export type Base = {
  config: CompleteConfig;
  /** What its file says is watched, whether it was applied or not. */
  configured: readonly ChainAssets[];
  /** What is wrong with file and environment as they are now: the next start would be refused. */
  findConfigFaults: () => Promise<readonly { path: string; message: string }[]>;
  db: Database;
  /** The id of this database, different from that of any other. */
  installation: string;
  log: Logger;
  version: string;
};

/** The same with metrics and spans, once the app is made, and with what keeps secrets out of what it shows. */
export type MeasuredBase = Base & {
  metrics: Metrics;
  redaction: Redaction;
  spans: Spans;
  /** Those of now. */
  adminTokens: () => CompleteConfig["adminTokens"];
};

/** docs/contract.md#delivery-and-retries: DNS, connect, TLS, headers and body together. */
export const sendTimeoutMs = 15_000;

/** Sends to businesses, for deliveries and for tests alike: nothing else does. */
export function openSender({ config, version }: Base): WebhookSender {
  return createSender({
    policy: config.webhooks.targets,
    timeoutMs: sendTimeoutMs,
    userAgent: `Chainbell/${version}`,
    extraCa: null,
    proxyUrl: config.webhooks.proxyUrl,
    resolve: createResolveHost(),
    clock,
  });
}
