import { createHash } from "node:crypto";
import { Agent } from "undici";
import { createGuardedConnect, type GuardedConnectOptions } from "./guarded-connect.ts";
import { hasOwnException, policyFor } from "./target-guard.ts";

/** Connections that the same requests may share. */
type Pool = {
  agent: Agent;
  /** Origins that `webhooks.allow` permits. Their answers are not shown to the business. */
  withheldOrigins: ReadonlySet<string>;
};

export type Pools = {
  of: (request: { businessId: string; clientCertificate: string | null }) => Pool;
  /** Ends every connection. */
  close: () => Promise<void>;
};

/**
 * Shorter than the 5 s after which common servers close an idle connection. So a request is almost
 * never written to a closed connection.
 */
const keepAliveMs = 4_000;

/** The most pools open at a time. A closed pool is opened again when it is needed. */
const mostPools = 200;

/**
 * Shares a connection only among businesses that could all have opened it. A business with its own
 * client certificate, or its own exception in `webhooks.allow`, has its own connections.
 */
export function createPools(
  options: Omit<GuardedConnectOptions, "clientCertificate" | "onException">,
): Pools {
  const { policy } = options;
  /** The least recently used first. */
  const pools = new Map<string, Pool>();

  function open(businessId: string | null, clientCertificate: string | null): Pool {
    const withheldOrigins = new Set<string>();
    const connect = createGuardedConnect({
      ...options,
      clientCertificate,
      policy: policyFor(policy, businessId),
      onException: (origin) => withheldOrigins.add(origin),
    });
    const agent = new Agent({
      connect,
      keepAliveTimeout: keepAliveMs,
      pipelining: 1,
      // An exchange has one limit for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { agent, withheldOrigins };
  }

  function forgetOldest(): void {
    for (const [key, { agent }] of pools) {
      if (pools.size <= mostPools) return;
      pools.delete(key);
      // `close` waits for the answers of requests under way.
      void agent.close();
    }
  }

  return {
    of({ businessId, clientCertificate }) {
      const owner = hasOwnException(policy, businessId) ? businessId : null;
      const key = `${owner ?? ""} ${clientCertificate === null ? "" : hashOf(clientCertificate)}`;
      const pool = pools.get(key) ?? open(owner, clientCertificate);
      pools.delete(key);
      pools.set(key, pool);
      forgetOldest();
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map(({ agent }) => agent.destroy()));
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
