import type { Tracing, TracingChoice } from "../../domain/chain/block-proof.ts";
import type { TracingHosts } from "../../domain/watch/chain-source.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointPool } from "./endpoint-pool.ts";

export type Capabilities = ReturnType<typeof createCapabilities>;

/**
 * The capabilities that a chain's endpoints have together. They follow from all configured
 * endpoints and what these have shown before, never from the leader alone.
 */
export function createCapabilities(
  ports: { pool: Pick<EndpointPool, "endpoints">; tracingHosts: TracingHosts; log: Logger },
  { chainId, tracing }: { chainId: number; tracing: TracingChoice },
) {
  const { pool, tracingHosts, log } = ports;
  /** The hosts that have traced before; null: not read yet. */
  let remembered: Set<string> | null = null;
  const refusing = new Set<Endpoint>();

  async function load(): Promise<Set<string>> {
    remembered ??= new Set(await tracingHosts.read());
    return remembered;
  }

  /** Warns that the endpoint refuses what it did before. Work that waits for it goes on waiting. */
  function warn(endpoint: Endpoint): void {
    if (refusing.has(endpoint)) return;
    refusing.add(endpoint);
    log.warn({ chainId, endpoint: endpoint.name }, "endpoint.traces_gone");
  }

  /**
   * The way to trace the chain; null: not known yet. It is off only if every endpoint says so, and
   * none of their hosts has traced before.
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

    /**
     * True if the chain is read without traces: no endpoint has them, or the configuration turns
     * them off.
     */
    async isUntraced(): Promise<boolean> {
      if (tracing === "auto") await load();
      return tracingNow() === "off";
    },

    /** True if an endpoint of this host has traced a block, now or earlier. */
    async hasTraced({ host }: Pick<Endpoint, "host">): Promise<boolean> {
      return (await load()).has(host);
    },

    /**
     * Stores which endpoints have traced a block. Call it before writing anything that depends on
     * it. Safe to repeat.
     * @throws Fault `database_unavailable`
     */
    async keep(): Promise<void> {
      if (tracing !== "auto") return;
      const hosts = await load();
      for (const endpoint of pool.endpoints) {
        const { host, capabilities } = endpoint;
        if (capabilities.tracing === "off" && hosts.has(host)) {
          warn(endpoint);
          // The endpoint may trace again, so it is asked once more. Until then its tracing is
          // unknown.
          capabilities.tracing = null;
        }
        if (!capabilities.hasTraced || hosts.has(host)) continue;
        await tracingHosts.add(host);
        hosts.add(host);
      }
    },
  };
}
