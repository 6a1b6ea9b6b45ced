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

/** After failures: soon, but no burden on an endpoint that has trouble. */
const maxBackoffMs = 60_000;

/** A comparison that cannot be made now, for example during a reorg, is tried again after this. */
const retryMs = 5_000;

/**
 * Compares one chain's ledger with the chain itself. `everyMs` lie between the end of one
 * comparison and the beginning of the next. It runs in a loop of its own, so that it delays no
 * deposit. It is never in trouble. Status, metrics and log show what it finds, and the watcher
 * reports a chain out of reach.
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
      case "done":
        progress = nothingCompared;
        dueMs = clock.elapsed() + everyMs;
        return "idle";
    }
  }

  const loop = createLoop({
    name: `reconciler:${chainName}`,
    step,
    onError(error, failures) {
      progress = nothingCompared;
      log.warn({ chain: chainName, failures, error }, "reconciliation.failed");
    },
    clock,
    pollMs: Math.min(retryMs, everyMs),
    maxBackoffMs,
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  return { ...loop, trouble: () => null };
}
