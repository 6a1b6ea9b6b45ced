import { Fault, faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Endpoint } from "./endpoint.ts";

/** Asked before an endpoint is used: what it throws keeps the endpoint out. */
type Admit = (endpoint: Endpoint) => Promise<void>;

export type EndpointPool = ReturnType<typeof createEndpointPool>;

/** An endpoint that is this far behind another is left for it. */
const laggingBlocks = 3n;

/**
 * The endpoints of one chain. One of them leads: what belongs together is asked of it, so that two endpoints on two
 * branches are never mixed. When it fails, or falls behind, another takes over.
 */
export function createEndpointPool(
  endpoints: readonly [Endpoint, ...Endpoint[]],
  options: { clock: Clock; log: Logger; chainId: number },
) {
  const { clock, log, chainId } = options;
  let leader: Endpoint = endpoints[0];

  function lead(endpoint: Endpoint, reason: string): void {
    if (endpoint === leader) return;
    log.warn(
      { chainId, endpoint: endpoint.name, before: leader.name, reason },
      "endpoint.switched",
    );
    leader = endpoint;
  }

  function blame(endpoint: Endpoint, fault: Fault): void {
    endpoint.blame(fault.message);
    const { facts, message: reason } = fault;
    log.warn({ chainId, endpoint: endpoint.name, reason, ...facts }, "endpoint.refused");
  }

  /** The leader, then the others as configured; those that failed lately come last. */
  function inOrder(): Endpoint[] {
    const now = clock.now();
    const ordered = [leader, ...endpoints.filter((endpoint) => endpoint !== leader)];
    const isBenched = (endpoint: Endpoint) => endpoint.record.benchedUntilMs() > now;
    return [...ordered.filter((one) => !isBenched(one)), ...ordered.filter(isBenched)];
  }

  return {
    endpoints,

    /**
     * The first answer that an endpoint gives to `work`. One that fails, or tells what does not hold, is left for the
     * next; an endpoint that answers where the leader failed leads from then on.
     * @throws what the endpoints failed with: rather what does not hold than what was not answered
     */
    async first<T>(work: (endpoint: Endpoint) => Promise<T>, admit: Admit): Promise<T> {
      let worst: unknown = null;
      for (const endpoint of inOrder()) {
        try {
          await admit(endpoint);
          const result = await work(endpoint);
          const reason = reasonToLeave(worst);
          if (reason !== null) lead(endpoint, reason);
          return result;
        } catch (error) {
          worst = isWorse(error, worst) ? error : worst;
          const fault = faultIn(error);
          if (fault === undefined) throw error;
          if (fault.code === "rpc_inconsistent") blame(endpoint, fault);
        }
      }
      throw worst;
    },

    /** Leaves the leader for an endpoint whose head is well above its own. */
    leaveBehind(): void {
      const now = clock.now();
      const ahead = endpoints.find(
        (one) =>
          one.record.benchedUntilMs() <= now &&
          (one.head ?? 0n) >= (leader.head ?? 0n) + laggingBlocks &&
          leader.head !== null,
      );
      if (ahead !== undefined) lead(ahead, `its head is ${ahead.head}, not ${leader.head}`);
    },

    leader: () => leader,

    /** All but the leader, the healthiest first. */
    others: () => inOrder().filter((endpoint) => endpoint !== leader),

    close(): void {
      for (const endpoint of endpoints) endpoint.transport.close();
    },
  };
}

/** That a state is pruned, or that it does not trace, is no failure: only another endpoint is better for this. */
function reasonToLeave(error: unknown): string | null {
  const fault = faultIn(error);
  const isFailure = fault?.code === "rpc_unavailable" || fault?.code === "rpc_inconsistent";
  return isFailure ? fault.message : null;
}

/** A contradiction says more than a silence. */
function isWorse(error: unknown, worst: unknown): boolean {
  if (worst === null) return true;
  const rank = (one: unknown) => {
    const code = one instanceof Fault ? one.code : null;
    if (code === "rpc_inconsistent") return 2;
    return code === "rpc_unavailable" ? 1 : 3;
  };
  return rank(error) > rank(worst);
}
