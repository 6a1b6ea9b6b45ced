import { type Fault, type FaultCode, faultIn } from "../../domain/fault.ts";
import { remedyOf } from "../../domain/remedy.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createExponentialSampler } from "../../runtime/exponential-sampler.ts";
import type { Logger } from "../../runtime/logger.ts";
import { type Trouble, troubleOf } from "../../runtime/trouble.ts";

/** Faults that only the operator, or another endpoint, can end. */
const atOnce = new Set<FaultCode>(["wrong_chain_id", "wrong_genesis", "chain_stopped"]);

/**
 * Faults that end by themselves: an endpoint or a server does not answer. The chain's lag shows
 * them.
 */
const passing = new Set<FaultCode>([
  "rpc_unavailable",
  "state_unavailable",
  "database_unavailable",
  "queue_unavailable",
]);

/** A block stops the chain after all endpoints have refused it this often. */
const failuresToStop = 3;

/**
 * A failure that names no block stops the chain after this time, in ms. Behind a load balancer, a
 * block of the head may be missing for some seconds.
 */
const lastingMs = 20_000;

export type StopJudge = {
  /**
   * Call it when a step has failed. Logs the 1st, 2nd, 4th, 8th … failure, and decides whether the
   * chain is stopped.
   */
  failed: (error: unknown, failures: number) => void;
  /** Call it when the chain advances, or another process watches it. */
  wentOn: () => void;
  /** The reason why the chain is stopped, and the remedy. Null: it is not stopped. */
  trouble: () => Trouble | null;
};

/**
 * Decides from the failures of its steps whether a chain is stopped, or only had bad luck. Logs a
 * stop once, and stores it in the ledger while it lasts. A block counts as refused only after every
 * endpoint that answers has refused it. The third refusal stops the chain. A successful step in
 * between counts only if it commits or confirms.
 */
export function createStopJudge(
  ports: { ledger: Pick<HeadLedger, "markStopped">; clock: Clock; log: Logger },
  chainName: string,
): StopJudge {
  const { ledger, clock, log } = ports;
  const sampler = createExponentialSampler();
  let seen = { of: "", failures: 0, sinceMs: 0 };
  let stop: Fault | null = null;

  function isStop({ code, facts }: Fault): boolean {
    if (passing.has(code)) return false;
    const { blockNumber } = facts;
    const of = `${code} ${blockNumber ?? ""}`;
    if (seen.of !== of) seen = { of, failures: 0, sinceMs: clock.elapsed() };
    seen.failures += 1;
    const isLasting = blockNumber !== undefined || clock.elapsed() - seen.sinceMs >= lastingMs;
    return atOnce.has(code) || (seen.failures >= failuresToStop && isLasting);
  }

  function report({ code, message: reason, facts }: Fault): void {
    const remedy = remedyOf(code);
    if (stop?.code !== code)
      log.error({ chain: chainName, code, reason, remedy, ...facts }, "chain.stopped");
    // If the database is out of reach, the next step fails too.
    ledger.markStopped(chainName, { code, reason }).catch(() => {});
  }

  return {
    failed(error, failures) {
      const fault = faultIn(error);
      const count = sampler.count(fault?.message ?? String(error));
      if (count !== null)
        log.warn({ chain: chainName, failures, count, error }, "watcher.step_failed");
      if (fault === undefined || !isStop(fault)) return;
      report(fault);
      stop = fault;
    },
    wentOn() {
      seen = { of: "", failures: 0, sinceMs: 0 };
      stop = null;
    },
    trouble: () =>
      stop === null ? null : troubleOf(stop.code, `${stop.message} ${remedyOf(stop.code)}`),
  };
}
