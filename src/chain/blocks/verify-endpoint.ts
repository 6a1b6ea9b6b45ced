import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import type { OtherChain } from "../../domain/watch/agreement-gate.ts";
import type { ChainIdentity } from "../../domain/watch/chain-source.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { askIdentity } from "./asking/ask-identity.ts";
import { type LoadRules, resolveTracing } from "./asking/load-block.ts";

/**
 * Lets an endpoint be used once it has shown that it serves the same chain as the others. For
 * blocks it must also trace, if others do.
 */
export function createVerification(
  pool: EndpointPool,
  { chainId, rules }: { chainId: number; rules: Pick<LoadRules, "tracing" | "profile"> },
) {
  const { tracing } = rules;
  /** The last known identity of the chain, which every endpoint must have. */
  let expected: ChainIdentity | null = null;
  /** Endpoints that serve another chain with the same chain id, and that chain's first block. */
  const others = new Map<Endpoint, Hash>();

  /** @throws Fault `rpc_unavailable` if the endpoint serves another chain */
  function requireSame(endpoint: Endpoint, actual: ChainIdentity, genesisHash: Hash | null): void {
    others.delete(endpoint);
    if (actual.chainId === chainId && (genesisHash ?? actual.genesisHash) === actual.genesisHash)
      return;
    if (actual.chainId === chainId) others.set(endpoint, actual.genesisHash);
    // It is asked again next time, since it may be corrected by then.
    endpoint.capabilities.identity = null;
    throw foreign(endpoint, actual);
  }

  /** @throws Fault `rpc_unavailable` if the endpoint serves another chain, or does not answer */
  async function verify(endpoint: Endpoint): Promise<void> {
    if (pool.endpoints.length === 1) return;
    endpoint.capabilities.identity ??= await askIdentity(endpoint);
    requireSame(endpoint, endpoint.capabilities.identity, expected?.genesisHash ?? null);
  }

  /**
   * The first block that most hosts have. If several have as many, the one that was found first.
   */
  async function findGenesis(): Promise<Hash | null> {
    if (pool.hosts() === 1) return null;
    const asked = pool.inOrder().filter(({ record }) => record.silentSinceMs() === null);
    const answers = await Promise.allSettled(
      asked.map(async (one) => ({ host: one.host, ...(await askIdentity(one)) })),
    );
    const hostsOf = new Map<Hash, Set<string>>();
    for (const answer of answers) {
      if (answer.status === "rejected" || answer.value.chainId !== chainId) continue;
      const { genesisHash, host } = answer.value;
      hostsOf.set(genesisHash, (hostsOf.get(genesisHash) ?? new Set()).add(host));
    }
    const [most] = [...hostsOf].sort(([, one], [, other]) => other.size - one.size);
    return most?.[0] ?? null;
  }

  /**
   * Finds out whether any endpoint traces, before the first block is read. An endpoint that fails
   * now does not delay the others.
   */
  async function findTracing(): Promise<void> {
    if (tracing !== "auto") return;
    try {
      if ((await resolveTracing(pool.leader(), rules)) !== "off") return;
    } catch (error) {
      if (pool.others().length === 0) throw error;
    }
    const unknown = pool.others().filter((one) => one.capabilities.tracing === null);
    await Promise.allSettled(
      unknown.map(async (one) => {
        await verify(one);
        await resolveTracing(one, rules);
      }),
    );
  }

  return {
    verify,

    /**
     * Finds out whether an endpoint traces, if the leader does not. Not yet known does not mean
     * off.
     */
    async learnTracing(endpoint: Endpoint): Promise<void> {
      const isOff = pool.leader().capabilities.tracing === "off";
      if (tracing === "auto" && isOff) await resolveTracing(endpoint, rules);
    },

    /**
     * Verifies an endpoint for reading blocks. If some endpoint traces, those that do not are
     * refused.
     */
    async verifyForBlocks(endpoint: Endpoint): Promise<void> {
      await verify(endpoint);
      const own = await resolveTracing(endpoint, rules);
      const isTracing = (one: Endpoint) => (one.capabilities.tracing ?? "off") !== "off";
      if (own === "off" && tracing === "auto" && pool.endpoints.some(isTracing)) {
        const { name } = endpoint;
        throw new Fault("rpc_unavailable", `Endpoint ${name} does not trace, others do.`, {
          facts: { endpoint: name, failure: "unsupported" },
        });
      }
    },

    /**
     * Asks again for the chain's identity. Answers another identity than the known one only if no
     * endpoint serves the right chain.
     */
    async identify(knownGenesis: Hash | null): Promise<ChainIdentity> {
      const genesisHash = knownGenesis ?? (await findGenesis());
      let other: ChainIdentity | null = null;
      const anyEndpoint = async () => {};
      try {
        expected = await pool.first(async (one) => {
          const identity = await askIdentity(one);
          one.capabilities.identity = identity;
          other ??= identity;
          requireSame(one, identity, genesisHash);
          return identity;
        }, anyEndpoint);
      } catch (error) {
        if (other === null) throw error;
        return other;
      }
      await findTracing();
      return expected;
    },

    /** An endpoint that serves another chain with the same chain id; null: none is known. */
    otherChain(): OtherChain | null {
      const [other] = others.values();
      if (other === undefined || expected === null) return null;
      return { number: 0n, stored: expected.genesisHash, other };
    },
  };
}

function foreign(endpoint: Endpoint, identity: ChainIdentity): Fault {
  return new Fault(
    "rpc_unavailable",
    `Endpoint ${endpoint.name} serves another chain (id ${identity.chainId}, genesis ${identity.genesisHash}): it is not used.`,
  );
}
