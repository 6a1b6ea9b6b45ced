import { createHash } from "node:crypto";
import { Agent } from "undici";
import { createGuardedConnect, type GuardedConnectOptions } from "./guarded-connect.ts";
import { hasOwnException, policyFor } from "./target-guard.ts";

/** Connections that may serve the same requests. */
type Pool = {
  agent: Agent;
  /** Of targets that `webhooks.allow` opened: what they answer is not shown. */
  withheldOrigins: ReadonlySet<string>;
};

export type Pools = {
  of: (request: { businessId: string; clientCertificate: string | null }) => Pool;
  /** Ends every connection. */
  close: () => Promise<void>;
};

/**
 * Shorter than the five seconds after which common servers close an idle connection, so we rarely
 * write into one.
 */
const keepAliveMs = 4_000;

/** The pools kept at once. A pool that has gone is made again. */
const mostPools = 200;

/**
 * A connection is used by others only if they could have made it: who shows a certificate, or has
 * an exception of `webhooks.allow` of their own, has connections of their own.
 */
export function createPools(
  options: Omit<GuardedConnectOptions, "clientCertificate" | "onException">,
): Pools {
  const { policy, timeoutMs } = options;
  /** In the order in which they were last used. */
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

      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return { agent, withheldOrigins };
  }

  function forgetOldest(): void {
    for (const [key, { agent }] of pools) {
      if (pools.size <= mostPools) return;
      pools.delete(key);
      // `close` lets requests that are under way be answered first.
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
