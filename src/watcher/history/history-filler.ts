import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { HistoryCursor } from "../../domain/watch/history.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createLoop, type Loop, type StepResult } from "../../runtime/loop.ts";
import { createRounds } from "../gate/rounds.ts";
import type { WatchLease } from "../lease.ts";
import { fillHistory, type HistoryPorts } from "./fill-history.ts";

/** The loop looks by itself after this time. A request for a history wakes it earlier. */
const restMs = 60_000;
/** The first pause after a failure, and the longest. */
const pollMs = 2_000;
const maxBackoffMs = 60_000;

/**
 * Reads the histories of one chain's wallets in its own loop, so that it does not delay new blocks.
 * It reports no trouble: the status shows its progress, and the watcher reports a chain out of
 * reach.
 */
export function createHistoryFiller(
  ports: Omit<HistoryPorts, "rounds"> & {
    gate: AgreementGate;
    lease: Pick<WatchLease, "take">;
    clock: Clock;
  },
  chainName: string,
): Loop {
  const { lease, clock, log } = ports;
  const idle = { idleMs: restMs };
  const filled = { ...ports, rounds: createRounds<HistoryCursor>(ports.gate) };

  async function step(): Promise<StepResult> {
    if (!(await lease.take())) return idle;
    const outcome = await fillHistory(filled, chainName);
    const { kind } = outcome;
    if (kind === "not_linked" || kind === "not_shown")
      log.warn({ chain: chainName, ...outcome }, `history.${kind}`);
    if (outcome.kind !== "read") return outcome.kind === "judged" ? "again" : idle;
    const { kind: _, ...counts } = outcome;
    log.debug({ chain: chainName, ...counts }, "history.read");
    return "again";
  }

  return createLoop({
    name: `history:${chainName}`,
    step,
    onError: (error, failures) =>
      log.warn({ chain: chainName, failures, error }, "history.step_failed"),
    clock,
    pollMs,
    maxBackoffMs,
    stuckAfterMs: null,
  });
}
