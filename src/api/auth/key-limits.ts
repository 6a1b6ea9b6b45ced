import { BlockList, isIPv6 } from "node:net";
import type { KeyHolder, KeyScope } from "../../domain/business/api-key.ts";
import { Fault } from "../../domain/fault.ts";

/**
 * The part of a request that a key may be limited by. `url` is the route, and not the text of the
 * URL, which has several spellings.
 */
export type LimitedRequest = { method: string; url: string; ip: string };

/**
 * Refuses a request outside of the key's scopes, networks or lifetime.
 * @throws Fault `key_expired`, `network_refused`, `scope_missing`
 */
export function requireWithin(holder: KeyHolder, request: LimitedRequest, nowMs: number): void {
  if (holder.expiresAt !== null && holder.expiresAt.getTime() <= nowMs) {
    throw new Fault("key_expired", "The API key has expired: use another one.");
  }
  if (holder.networks.length > 0 && !isWithin(request.ip, holder.networks)) {
    throw new Fault(
      "network_refused",
      "The API key may not be used from this address: see its networks.",
    );
  }
  if (isAboutKeys(request) && !isUnlimited(holder)) {
    throw new Fault("scope_missing", "Only a key without limits may make or revoke keys.");
  }
  const scope = scopeOf(request);
  if (scope === null || holder.scopes.includes(scope)) return;
  if (holder.scopes.length === 0 && scope !== "wallets:write") return;
  throw new Fault(
    "scope_missing",
    `The API key lacks the scope '${scope}': use a key that has it.`,
  );
}

/**
 * True if a request makes or revokes keys. A limited key could otherwise make one that may do more.
 */
function isAboutKeys({ method, url }: LimitedRequest): boolean {
  return url.startsWith("/api-keys") && method !== "GET" && method !== "HEAD";
}

function isUnlimited({ scopes, networks, expiresAt }: KeyHolder): boolean {
  return scopes.length === 0 && networks.length === 0 && expiresAt === null;
}

/** The scope that a request needs; null where it needs none. */
function scopeOf({ method, url }: LimitedRequest): KeyScope | null {
  if (url.startsWith("/auth/token")) return null;
  if (method === "GET" || method === "HEAD") return "read";
  if (url.startsWith("/wallets")) return "wallets:write";
  return url.startsWith("/notifications") ? "notifications" : "webhooks";
}

function isWithin(address: string, networks: readonly string[]): boolean {
  const allowed = new BlockList();
  for (const network of networks) {
    const [base = "", bits = ""] = network.split("/");
    allowed.addSubnet(base, Number(bits), isIPv6(base) ? "ipv6" : "ipv4");
  }
  // An IPv4 address in IPv6 form is found among the IPv4 blocks.
  return allowed.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
