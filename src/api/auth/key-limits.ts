import { BlockList, isIPv6 } from "node:net";
import type { KeyHolder, KeyScope } from "../../domain/business/api-key.ts";
import { Fault } from "../../domain/fault.ts";

/**
 * What is asked, as far as a key may be limited to it. `url` is the route and not the text of the URL, which may be written in
 * several ways.
 */
export type LimitedRequest = { method: string; url: string; ip: string };

/**
 * Lets a key do what it may, from where it may, as long as it may.
 * @throws Fault `key_expired`, `network_refused`, `scope_missing`
 */
export function requireWithin(holder: KeyHolder, request: LimitedRequest, nowMs: number): void {
  if (holder.expiresAt !== null && holder.expiresAt.getTime() <= nowMs) {
    throw new Fault("key_expired", "The API key has expired: use another one.");
  }
  if (holder.networks.length > 0 && !isWithin(request.ip, holder.networks)) {
    throw new Fault("network_refused", "The API key may not be used from this address.");
  }
  if (isAboutKeys(request) && !isUnlimited(holder)) {
    throw new Fault("scope_missing", "Only a key without limits may make or revoke keys.");
  }
  const scope = scopeOf(request);
  if (scope === null || holder.scopes.length === 0 || holder.scopes.includes(scope)) return;
  throw new Fault("scope_missing", `The API key needs the scope '${scope}' for this.`);
}

/** Whoever makes a key could make one that may do more than they do. */
function isAboutKeys({ method, url }: LimitedRequest): boolean {
  return url.startsWith("/api-keys") && method !== "GET" && method !== "HEAD";
}

function isUnlimited({ scopes, networks, expiresAt }: KeyHolder): boolean {
  return scopes.length === 0 && networks.length === 0 && expiresAt === null;
}

/** Null: every key may. */
function scopeOf({ method, url }: LimitedRequest): KeyScope | null {
  if (url.startsWith("/auth/token")) return null;
  if (method === "GET" || method === "HEAD") return "read";
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
