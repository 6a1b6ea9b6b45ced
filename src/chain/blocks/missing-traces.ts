import type { TracingChoice } from "../../domain/chain/block-proof.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { isOfHosts } from "./second-reading.ts";

/** Traces are waited for so long, in ms, and asked for again after as long. */
const patientMs = 10_000;

/**
 * The wait, in ms, for the only host of a chain. Nobody else has its blocks, so a host that answers
 * badly for a while costs less than payments of contracts that come late.
 */
const patientAloneMs = 300_000;

/** The two ways to read the same blocks. */
type Ways<T> = { traced: () => Promise<T>; untraced: () => Promise<T> };

/**
 * Lets a chain go on where no endpoint gives its traces: the one that traces is away, refuses, or
 * no longer has them. Its blocks are then read without traces, of every endpoint. Payments of
 * contracts in them are found when balances are compared. A chain whose operator names the kind of
 * traces waits for them.
 */
export function createMissingTraces(
  { clock, log, pool }: { clock: Clock; log: Logger; pool: Pick<EndpointPool, "hosts"> },
  { chainId, tracing }: { chainId: number; tracing: TracingChoice },
) {
  /** Since when blocks could be read without traces only; null: they can be read with them. */
  let missingSinceMs: number | null = null;
  /** When traces are asked for next. */
  let dueMs = Number.NEGATIVE_INFINITY;
  let blocks = 0n;

  function returned(): void {
    if (blocks > 0n) log.info({ chainId, blocks }, "traces.returned");
    missingSinceMs = null;
    blocks = 0n;
  }

  /**
   * Traces that do not fit their block are a contradiction, which only another host may end. Where
   * hosts have to agree on the rest of a block, leaving out its traces must not spare them that.
   */
  function mayGoWithout(error: unknown): boolean {
    const code = faultIn(error)?.code;
    const isOfTraces =
      code === "rpc_unavailable" || (code === "rpc_inconsistent" && pool.hosts() > 1);
    return isOfTraces && !isOfHosts(error) && tracing === "auto";
  }

  /** @throws the refusal, where the blocks cannot be read without traces either */
  async function without<T>(untraced: () => Promise<T>, refusal: unknown): Promise<T> {
    try {
      return await untraced();
    } catch (error) {
      if (faultIn(error) === undefined) throw error;
      missingSinceMs = null;
      throw refusal;
    }
  }

  return {
    /** True if blocks have been read without traces since they were had last. */
    areMissing: () => blocks > 0n,

    /** True while blocks are read without traces, and traces are not asked for yet again. */
    areGivenUp: () => clock.elapsed() < dueMs,

    /**
     * Answers as `traced` does. Answers as `untraced` does once that alone has answered for long
     * enough.
     * @throws what `traced` failed with, before that
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
        missingSinceMs ??= clock.elapsed();
        const patience = pool.hosts() > 1 ? patientMs : patientAloneMs;
        if (clock.elapsed() - missingSinceMs < patience) throw error;
        dueMs = clock.elapsed() + patientMs;
        if (blocks === 0n) log.warn({ chainId, block: range.from, error }, "traces.missing");
        blocks += count;
        return answer;
      }
    },
  };
}
