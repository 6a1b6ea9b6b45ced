import type { Clock } from "../../runtime/clock.ts";
import { createLoop, type StepResult } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";
import type { WatchLease } from "../lease.ts";
import {
  nothingCompared,
  type ReconcilePorts,
  type ReconcileProgress,
  reconcileStep,
} from "./reconcile.ts";

/**
 * The longest pause after failures, in ms: soon enough, and no burden on an endpoint in trouble.
 */
const maxBackoffMs = 60_000;

/** The pause before a comparison that is not possible now, for example during a reorg, in ms. */
const retryMs = 5_000;

/**
 * Compares one chain's ledger with the chain itself. The next comparison begins `everyMs` after the
 * end of one. Runs in its own loop, so that it does not delay a deposit. It is never in trouble.
 * Status, metrics and log show what it finds, and the watcher reports a chain out of reach.
 */
export function createReconciler(
  ports: ReconcilePorts & { lease: Pick<WatchLease, "take">; clock: Clock },
  options: { chainName: string; everyMs: number },
): Service {
  const { lease, clock, log } = ports;
  const { chainName, everyMs } = options;
  let progress: ReconcileProgress = nothingCompared;
  let dueMs = clock.elapsed();

  async function step(): Promise<StepResult> {
    if (clock.elapsed() < dueMs || !(await lease.take())) return "idle";
    const outcome = await reconcileStep(ports, { chainName, walletIds: null }, progress);
    switch (outcome.kind) {
      case "more":
        progress = outcome.progress;
        return "again";
      case "not_now":
        return "idle";
      case "moved":
        progress = nothingCompared;
        return "idle";
      case "done":
        progress = nothingCompared;
        dueMs = clock.elapsed() + everyMs;
        return "idle";
    }
  }

  return createLoop({
    name: `reconciler:${chainName}`,
    step,
    onError(error, failures) {
      log.warn({ chain: chainName, failures, error }, "reconciliation.failed");
    },
    clock,
    pollMs: Math.min(retryMs, everyMs),
    maxBackoffMs,
    stuckAfterMs: null,
  });
}
