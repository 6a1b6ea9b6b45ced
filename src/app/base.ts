import type { Database } from "../ledger/postgres/database.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createResolveHost } from "../webhook/resolve-host.ts";
import { createSender, type WebhookSender } from "../webhook/sender.ts";
import type { CompleteConfig } from "./environment.ts";

/** What the parts share; made and closed by whoever makes the app. */
export type Base = {
  config: CompleteConfig;
  db: Database;
  /** What tells this database from any other. */
  installation: string;
  log: Logger;
  version: string;
};

/** The same with what is counted, once the app is made. */
export type MeasuredBase = Base & { metrics: Metrics };

/** docs/contract.md#delivery-and-retries: DNS, connect, TLS, headers and body together. */
export const sendTimeoutMs = 15_000;

/** The one way out to a business, for deliveries and for tests alike. */
export function openSender({ config, version }: Base): WebhookSender {
  return createSender({
    policy: config.webhooks.targets,
    timeoutMs: sendTimeoutMs,
    userAgent: `Chainbell/${version}`,
    extraCa: null,
    resolve: createResolveHost(),
    clock,
  });
}
