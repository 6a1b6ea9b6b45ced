import type { Tracing, TracingChoice } from "../../domain/chain/block-proof.ts";
import type { TracingHosts } from "../../domain/watch/chain-source.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointPool } from "./endpoint-pool.ts";

export type Capabilities = ReturnType<typeof createCapabilities>;

/**
 * The capabilities that the endpoints of a chain have together. They follow from all endpoints that
 * are configured, and from what these have shown before. They never follow from the leading
 * endpoint alone.
 */
export function createCapabilities(
  ports: { pool: Pick<EndpointPool, "endpoints">; tracingHosts: TracingHosts; log: Logger },
  { chainId, tracing }: { chainId: number; tracing: TracingChoice },
) {
  const { pool, tracingHosts, log } = ports;
  /** Null: not read yet. */
  let remembered: Set<string> | null = null;
  const refusing = new Set<Endpoint>();

  async function load(): Promise<Set<string>> {
    remembered ??= new Set(await tracingHosts.read());
    return remembered;
  }

  /** It no longer does what it did: what waits is not settled by that. */
  function warn(endpoint: Endpoint): void {
    if (refusing.has(endpoint)) return;
    refusing.add(endpoint);
    log.warn({ chainId, endpoint: endpoint.name }, "endpoint.traces_gone");
  }

  /**
   * The way to trace the chain; null: not found out yet. Off takes the answer of every endpoint.
   */
  function tracingNow(): Tracing | null {
    if (tracing !== "auto") return tracing;
    const known = pool.endpoints.map(({ capabilities }) => capabilities.tracing);
    const traced = known.find((one) => one !== null && one !== "off");
    if (traced !== undefined) return traced;
    const isOff = pool.endpoints.every(
      ({ host, capabilities }) => capabilities.tracing === "off" && remembered?.has(host) === false,
    );
    return isOff ? "off" : null;
  }

  return {
    tracing: tracingNow,

    /** True if the chain is read without traces: no endpoint has them, or nobody asks for them. */
    async isUntraced(): Promise<boolean> {
      if (tracing === "auto") await load();
      return tracingNow() === "off";
    },

    /** True if an endpoint of this host has traced a block, now or before. */
    async hasTraced({ host }: Pick<Endpoint, "host">): Promise<boolean> {
      return (await load()).has(host);
    },

    /**
     * Keeps which endpoints have traced a block, before anything that rests on it is written. Safe
     * to repeat.
     * @throws Fault `database_unavailable`
     */
    async keep(): Promise<void> {
      if (tracing !== "auto") return;
      const hosts = await load();
      for (const endpoint of pool.endpoints) {
        const { host, capabilities } = endpoint;
        if (capabilities.tracing === "off" && hosts.has(host)) {
          warn(endpoint);
          // It may trace again, and is asked once more. Until then that is not known.
          capabilities.tracing = null;
        }
        if (!capabilities.hasTraced || hosts.has(host)) continue;
        await tracingHosts.add(host);
        hosts.add(host);
      }
    },
  };
}
