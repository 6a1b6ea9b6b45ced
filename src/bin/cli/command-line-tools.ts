import { createCatchUpNow, createFollowHistory } from "../../app/catch-up-now.ts";
import { createCompareChain, createOpenEvidence } from "../../app/compare-chain.ts";
import { createOpenLocalChain, createReadDemoBusiness } from "../../app/environment/local-chain.ts";
import type { OpenLedger } from "../../app/environment/open-ledger.ts";
import { openMetrics } from "../../app/environment/open-metrics.ts";
import { createReencrypt } from "../../app/environment/reencrypt.ts";
import { createSigning } from "../../app/environment/signing.ts";
import { createFollowRecovery } from "../../app/follow-recovery.ts";
import { requiredConfirmationsOf } from "../../app/required-confirmations.ts";
import { createWebhookTrials } from "../../app/webhook-trials.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createPrinter } from "./print-page.ts";

/** The tools that verbs of the command line use beside reading and changing an open ledger. */
export function createCommandLineTools(
  ledger: OpenLedger,
  log: Logger,
  process: Parameters<typeof createWebhookTrials>[1],
) {
  return {
    catchUp: createCatchUpNow(ledger, log),
    followHistory: createFollowHistory(ledger, log),
    followRecovery: createFollowRecovery(ledger),
    openLocalChain: createOpenLocalChain(ledger),
    readDemoBusiness: createReadDemoBusiness(ledger),
    reencrypt: createReencrypt(ledger),
    ...createWebhookTrials(ledger, process),
    ...createSigning(ledger),
    printer: createPrinter(ledger.config.chromium),
    openEvidence: createOpenEvidence(ledger.config, log),
    compareChain: createCompareChain({ ...ledger, log, metrics: openMetrics(ledger) }),
    requiredConfirmations: requiredConfirmationsOf(ledger.config.chains),
  };
}
