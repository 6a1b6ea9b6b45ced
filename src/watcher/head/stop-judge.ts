import { type Fault, type FaultCode, faultIn } from "../../domain/fault.ts";
import { remedyOf } from "../../domain/remedy.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createExponentialSampler } from "../../runtime/exponential-sampler.ts";
import type { Logger } from "../../runtime/logger.ts";

/** Faults that only the operator, or the right endpoint, can end. */
const atOnce = new Set<FaultCode>(["wrong_chain_id", "wrong_genesis", "chain_stopped"]);

/**
 * Faults that end by themselves: an endpoint or a server that does not answer. The lag shows them.
 */
const passing = new Set<FaultCode>([
  "rpc_unavailable",
  "state_unavailable",
  "database_unavailable",
  "queue_unavailable",
]);

/** A block that all endpoints have refused so often is no accident. */
const failuresToStop = 3;

/**
 * A failure that names no block must last this long, in ms, to stop the chain. Behind a load
 * balancer a block of the head may be missing for some seconds.
 */
const lastingMs = 20_000;

export type StopJudge = {
  /** A step has failed: logged the 1st, 2nd, 4th, 8th … time, and judged. */
  failed: (error: unknown, failures: number) => void;
  /** The chain goes on, or another process sees to it. */
  wentOn: () => void;
  /** The cause of the stop, with the remedy; null: the chain is not stopped. */
  trouble: () => string | null;
};

/**
 * Distinguishes a chain that is stopped from one that had bad luck, by the failures of its steps.
 * It reports a stop once in the log, and in the ledger for as long as the stop lasts. A block is
 * refused only after every endpoint that answers has refused it. The third refusal stops the chain.
 * A step that succeeds in between changes nothing, unless it commits or confirms.
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
    // Where the database is out of reach, the next step fails too.
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
    trouble: () => (stop === null ? null : `${stop.message} ${remedyOf(stop.code)}`),
  };
}
