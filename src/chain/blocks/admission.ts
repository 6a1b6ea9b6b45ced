import { Fault } from "../../domain/fault.ts";
import type { ChainIdentity } from "../../domain/watch/chain-source.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { type LoadRules, resolveTracing } from "./asking/load-block.ts";

/**
 * Lets an endpoint be used only after it has shown that it serves the same chain as the others, and for blocks only
 * if it traces where others do. `askIdentity` asks it.
 */
export function createAdmission(
  pool: EndpointPool,
  options: {
    chainId: number;
    rules: Pick<LoadRules, "tracing" | "profile">;
    askIdentity: (endpoint: Endpoint) => Promise<ChainIdentity>;
  },
) {
  const { chainId, rules, askIdentity } = options;
  const { tracing } = rules;
  /** The identity of the chain as last found; every endpoint must have the same. */
  let expected: ChainIdentity | null = null;

  /** @throws Fault `rpc_unavailable` where it serves another chain, or does not answer */
  async function admit(endpoint: Endpoint): Promise<void> {
    if (pool.endpoints.length === 1) return;
    endpoint.learned.identity ??= await askIdentity(endpoint);
    const actual = endpoint.learned.identity;
    const isSame = expected === null || actual.genesisHash === expected.genesisHash;
    if (actual.chainId === chainId && isSame) return;
    // It is asked again next time: it may have been corrected.
    endpoint.learned.identity = null;
    throw foreign(endpoint, actual);
  }

  /**
   * Finds out before the first block whether any endpoint traces. One that does not answer now does not delay the
   * others.
   */
  async function findTracing(): Promise<void> {
    if (tracing !== "auto") return;
    if ((await resolveTracing(pool.leader(), rules)) !== "off") return;
    const unknown = pool.others().filter((one) => one.learned.tracing === null);
    await Promise.allSettled(
      unknown.map(async (one) => {
        await admit(one);
        await resolveTracing(one, rules);
      }),
    );
  }

  return {
    admit,

    /** Where some endpoint traces, blocks are not read from those that do not. */
    async admitForBlocks(endpoint: Endpoint): Promise<void> {
      await admit(endpoint);
      const own = await resolveTracing(endpoint, rules);
      const isTracing = (one: Endpoint) => (one.learned.tracing ?? "off") !== "off";
      if (own === "off" && tracing === "auto" && pool.endpoints.some(isTracing)) {
        throw new Fault("rpc_unavailable", `Endpoint ${endpoint.name} does not trace, others do.`);
      }
    },

    /**
     * Which chain this is, asked anew. The identity of another chain than configured is answered only where no
     * endpoint serves the right one.
     */
    async identify(): Promise<ChainIdentity> {
      let other: ChainIdentity | null = null;
      const anyEndpoint = async () => {};
      try {
        expected = await pool.first(async (one) => {
          const identity = await askIdentity(one);
          one.learned.identity = identity;
          if (identity.chainId === chainId) return identity;
          other = identity;
          throw foreign(one, identity);
        }, anyEndpoint);
      } catch (error) {
        if (other === null) throw error;
        return other;
      }
      await findTracing();
      return expected;
    },
  };
}

function foreign(endpoint: Endpoint, identity: ChainIdentity): Fault {
  return new Fault(
    "rpc_unavailable",
    `Endpoint ${endpoint.name} serves another chain (id ${identity.chainId}, genesis ${identity.genesisHash}): it is not used.`,
  );
}
