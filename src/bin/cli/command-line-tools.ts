import { createOpenLocalChain, createReadDemoBusiness } from "../../app/environment/local-chain.ts";
import type { OpenLedger } from "../../app/environment/open-ledger.ts";
import { createReencrypt } from "../../app/environment/reencrypt.ts";
import { createSigning } from "../../app/environment/signing.ts";
import { createFollowRecovery } from "../../app/follow-recovery.ts";
import { requiredConfirmationsOf } from "../../app/required-confirmations.ts";
import { createWebhookTrials } from "../../app/webhook-trials.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createPrinter } from "./print-page.ts";
import type { LedgerTools } from "./run-cli.ts";

// Loaded only by the few verbs that ask a chain, so that no other verb waits for these libraries.
const loadCatchUp = () => import("../../app/catch-up-now.ts");
const loadCompare = () => import("../../app/compare-chain.ts");
const loadMetrics = () => import("../../app/environment/open-metrics.ts");

/** The tools of the command line's verbs, in addition to an open ledger. */
export function createCommandLineTools(
  ledger: OpenLedger,
  log: Logger,
  process: Parameters<typeof createWebhookTrials>[1],
): LedgerTools {
  return {
    async catchUp(...asked) {
      return (await loadCatchUp()).createCatchUpNow(ledger, log)(...asked);
    },
    async followHistory(...asked) {
      return (await loadCatchUp()).createFollowHistory(ledger, log)(...asked);
    },
    async openEvidence(...asked) {
      return (await loadCompare()).createOpenEvidence(ledger.config, log)(...asked);
    },
    async compareChain(...asked) {
      const [{ createCompareChain }, { openMetrics }] = await Promise.all([
        loadCompare(),
        loadMetrics(),
      ]);
      return createCompareChain({ ...ledger, log, metrics: openMetrics(ledger) })(...asked);
    },
    followRecovery: createFollowRecovery(ledger),
    openLocalChain: createOpenLocalChain(ledger),
    readDemoBusiness: createReadDemoBusiness(ledger),
    reencrypt: createReencrypt(ledger),
    ...createWebhookTrials(ledger, process),
    ...createSigning(ledger),
    printer: createPrinter(ledger.config.chromium),
    requiredConfirmations: requiredConfirmationsOf(ledger.config.chains),
  };
}
