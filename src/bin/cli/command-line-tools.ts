import type { Logger } from "../runtime/logger.ts";
import { createCatchUpNow, createFollowHistory } from "./catch-up-now.ts";
import { createCompareChain, createOpenEvidence } from "./compare-chain.ts";
import { createOpenLocalChain } from "./environment/local-chain.ts";
import type { OpenLedger } from "./environment/open-ledger.ts";
import { openMetrics } from "./environment/open-metrics.ts";
import { createWebhookTrials } from "./webhook-trials.ts";

/** What the verbs of the command line do with an open ledger beside asking and changing it. */
export function createCommandLineTools(
  ledger: OpenLedger,
  log: Logger,
  process: Parameters<typeof createWebhookTrials>[1],
) {
  return {
    catchUp: createCatchUpNow(ledger, log),
    followHistory: createFollowHistory(ledger, log),
    openLocalChain: createOpenLocalChain(ledger),
    ...createWebhookTrials(ledger, process),
    openEvidence: createOpenEvidence(ledger.config, log),
    compareChain: createCompareChain({ ...ledger, log, metrics: openMetrics(ledger) }),
  };
}
