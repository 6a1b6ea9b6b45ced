import type { TracingChoice } from "../../domain/chain/block-proof.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { isOfHosts } from "../agreement/agree-on-unrooted.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";

/** Missing traces are waited for this long, in ms. They are asked for again after as long. */
const patientMs = 10_000;

/**
 * The wait, in ms, for the only host of a chain. Nobody else has its blocks. Waiting for a host
 * with a short trouble costs less than finding payments of contracts late.
 */
const patientAloneMs = 300_000;

/**
 * Traces count as missing after this many refusals at least. A process that was suspended, or that
 * waited long between two attempts, has asked too seldom to know.
 */
const leastRefusals = 3;

/** The two ways to read the same blocks. */
type Ways<T> = { traced: () => Promise<T>; untraced: () => Promise<T> };

/**
 * Lets a chain go on if no endpoint gives traces. The tracing endpoint does not answer, refuses, or
 * has lost them. Then blocks are read without traces, from every endpoint. Payments of contracts in
 * such blocks are found when balances are compared. If the operator has configured the kind of
 * traces, the chain waits for them.
 */
export function createMissingTraces(
  { clock, log, pool }: { clock: Clock; log: Logger; pool: Pick<EndpointPool, "hosts"> },
  { chainId, tracing }: { chainId: number; tracing: TracingChoice },
) {
  /** Since when blocks could only be read without traces; null: traces are available. */
  let missing: { sinceMs: number; refusals: number } | null = null;
  /** When traces are asked for again. */
  let dueMs = Number.NEGATIVE_INFINITY;
  let blocks = 0n;

  function returned(): void {
    if (blocks > 0n) log.info({ chainId, blocks }, "traces.returned");
    missing = null;
    blocks = 0n;
  }

  /**
   * Not for traces that do not fit their block: that is a contradiction, which only another host
   * may settle. Not for a disagreement of hosts either: leaving the traces out must not avoid it.
   */
  function mayGoWithout(error: unknown): boolean {
    const code = faultIn(error)?.code;
    const isOfTraces =
      code === "rpc_unavailable" || (code === "rpc_inconsistent" && pool.hosts() > 1);
    return isOfTraces && !isOfHosts(error) && tracing === "auto";
  }

  /** @throws the refusal if the blocks cannot be read without traces either */
  async function without<T>(untraced: () => Promise<T>, refusal: unknown): Promise<T> {
    try {
      return await untraced();
    } catch (error) {
      if (faultIn(error) === undefined) throw error;
      missing = null;
      throw refusal;
    }
  }

  return {
    /** True if blocks were read without traces since the last ones with traces. */
    areMissing: () => blocks > 0n,

    /** True while blocks are read without traces, until traces are asked for again. */
    areGivenUp: () => clock.elapsed() < dueMs,

    /**
     * Reads with `traced`. Once only `untraced` has worked for long enough, reads with that.
     * @throws the fault of `traced`, until then
     */
    async read<T>(range: { from: bigint; to: bigint }, ways: Ways<T>): Promise<T> {
      const count = range.to - range.from + 1n;
      if (clock.elapsed() < dueMs) {
        const answer = await ways.untraced();
        blocks += count;
        return answer;
      }
      try {
        const answer = await ways.traced();
        returned();
        return answer;
      } catch (error) {
        if (!mayGoWithout(error)) throw error;
        const answer = await without(ways.untraced, error);
        const { sinceMs, refusals } = missing ?? { sinceMs: clock.elapsed(), refusals: 0 };
        missing = { sinceMs, refusals: refusals + 1 };
        const patience = pool.hosts() > 1 ? patientMs : patientAloneMs;
        const isPatient = clock.elapsed() - sinceMs < patience || missing.refusals < leastRefusals;
        if (isPatient) throw error;
        dueMs = clock.elapsed() + patientMs;
        if (blocks === 0n) log.warn({ chainId, block: range.from, error }, "traces.missing");
        blocks += count;
        return answer;
      }
    },
  };
}
