import { Fault, faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createExponentialSampler } from "../../runtime/exponential-sampler.ts";
import type { Logger } from "../../runtime/logger.ts";
import { type Endpoint, failureKindIn, isAbsentIn } from "./endpoint.ts";

/** Called before an endpoint is used. If it throws, the endpoint is not used. */
type Verify = (endpoint: Endpoint) => Promise<void>;

export type EndpointPool = ReturnType<typeof createEndpointPool>;

/** A leader that is this many blocks behind another endpoint loses the lead. */
const laggingBlocks = 3n;

/**
 * After this many ms without a new head a leader loses the lead, even to an endpoint on another
 * branch.
 */
const stuckAfterMs = 60_000;

/**
 * The endpoints of one chain. One leads and is asked for all parts of a block, so that answers of
 * two branches are never mixed. If it fails or falls behind, another one takes over.
 */
export function createEndpointPool(
  endpoints: readonly [Endpoint, ...Endpoint[]],
  options: { clock: Clock; log: Logger; chainId: number },
) {
  const { clock, log, chainId } = options;
  let leader: Endpoint = endpoints[0];
  const samplers = new Map(endpoints.map((endpoint) => [endpoint, createExponentialSampler()]));
  const hosts = new Set(endpoints.map(({ host }) => host)).size;
  let lastMoved: Moved = { head: null, sinceMs: clock.elapsed() };

  function isStuck(now: number): boolean {
    if (lastMoved.head !== leader.head) lastMoved = { head: leader.head, sinceMs: now };
    return now - lastMoved.sinceMs >= stuckAfterMs;
  }

  /** True if an endpoint's head is well above the leader's. */
  const isAhead = (one: Endpoint) =>
    leader.head !== null && (one.head ?? 0n) >= leader.head + laggingBlocks;

  function lead(endpoint: Endpoint, reason: string): void {
    if (endpoint === leader) return;
    log.warn(
      { chainId, endpoint: endpoint.name, before: leader.name, reason },
      "endpoint.switched",
    );
    leader = endpoint;
  }

  function recordFailure(endpoint: Endpoint, fault: Fault): void {
    endpoint.recordFailure(fault.message);
    const { facts, message: reason } = fault;
    const count = samplers.get(endpoint)?.count(reason) ?? null;
    if (count === null) return;
    log.warn({ chainId, endpoint: endpoint.name, reason, count, ...facts }, "endpoint.refused");
  }

  /**
   * The leader, then the others in the configured order. Endpoints that failed lately come last.
   */
  function inOrder(): Endpoint[] {
    const now = clock.elapsed();
    const ordered = [leader, ...endpoints.filter((endpoint) => endpoint !== leader)];
    const isBenched = (endpoint: Endpoint) => endpoint.record.benchedUntilMs() > now;
    return [...ordered.filter((one) => !isBenched(one)), ...ordered.filter(isBenched)];
  }

  return {
    endpoints,

    /**
     * Runs `work` on one endpoint after another, until one answers. After a failure or a
     * contradiction the next one is asked. If it answers where the leader failed, it leads from
     * then on.
     * @throws an error of the endpoints; a contradiction rather than a missing answer
     */
    async first<T>(work: (endpoint: Endpoint) => Promise<T>, verify: Verify): Promise<T> {
      let worst: unknown = null;
      for (const endpoint of inOrder()) {
        try {
          await verify(endpoint);
          const result = await work(endpoint);
          const reason = reasonToLeave(worst);
          if (reason !== null) lead(endpoint, reason);
          return result;
        } catch (error) {
          worst = isWorse(error, worst) ? error : worst;
          const fault = faultIn(error);
          if (fault === undefined) throw error;
          if (fault.code === "rpc_inconsistent") recordFailure(endpoint, fault);
        }
      }
      throw worst;
    },

    /**
     * Lets another endpoint lead if its head is well above the leader's. The leader's head must be
     * below it on the same branch. An endpoint on another branch leads only if the leader's head
     * does not move.
     */
    failOver(): void {
      const now = clock.elapsed();
      const mayLead = isStuck(now)
        ? isAhead
        : (one: Endpoint) => isAhead(one) && one.descendsFrom === leader.name;
      const ahead = endpoints.find((one) => one.record.benchedUntilMs() <= now && mayLead(one));
      if (ahead !== undefined) lead(ahead, `its head is ${ahead.head}, not ${leader.head}`);
    },

    isAhead,

    inOrder,

    /** Records that an endpoint's answer was wrong, and logs it. */
    recordFailure,

    /** The number of different hosts. */
    hosts: () => hosts,

    leader: () => leader,

    /** All endpoints except the leader, the healthiest first. */
    others: () => inOrder().filter((endpoint) => endpoint !== leader),

    /** The endpoints of other hosts than the leader's, the healthiest first. */
    ofOtherHosts: () => inOrder().filter(({ host }) => host !== leader.host),

    close(): void {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}

type Moved = { head: bigint | null; sinceMs: number };

/**
 * The reason to take the lead from an endpoint, or null. A pruned state or missing traces are no
 * failure: another endpoint is only better for that question.
 */
function reasonToLeave(error: unknown): string | null {
  const fault = faultIn(error);
  const isFailure = fault?.code === "rpc_unavailable" || fault?.code === "rpc_inconsistent";
  return isFailure ? fault.message : null;
}

/**
 * True if an error says more than the worst one so far. A contradiction says more than a missing
 * answer. A failing endpoint says more than one that refuses or does not have the block, since it
 * may answer later.
 */
function isWorse(error: unknown, worst: unknown): boolean {
  if (worst === null) return true;
  const rank = (one: unknown) => {
    const code = one instanceof Fault ? one.code : null;
    if (code === "rpc_inconsistent") return isAbsentIn(one) ? 1 : 3;
    if (code !== "rpc_unavailable") return 4;
    const kind = failureKindIn(one);
    return kind === "refused" || kind === "unsupported" ? 1 : 2;
  };
  return rank(error) > rank(worst);
}
