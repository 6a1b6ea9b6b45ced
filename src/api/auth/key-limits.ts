import { BlockList, isIPv6 } from "node:net";
import { type KeyLimits, scopesNeeded } from "../../domain/business/api-key.ts";
import { Fault } from "../../domain/fault.ts";
import { type NeededScope, neededScope } from "../http/needed-scope.ts";

/**
 * The limits that a key may have. `url` is the pattern of the route: the text of a URL can be
 * written in several ways.
 */
export type LimitedRequest = { method: string; url: string; ip: string };

type Limits = Omit<KeyLimits, "maxWallets">;

/**
 * Refuses a request that the key's scopes, networks or lifetime do not allow.
 * @throws Fault `key_expired`, `network_refused`, `scope_missing`
 */
export function requireWithin(holder: Limits, request: LimitedRequest, nowMs: number): void {
  if (holder.expiresAt !== null && holder.expiresAt.getTime() <= nowMs) {
    throw new Fault("key_expired", "The API key has expired: use another one.");
  }
  if (holder.networks.length > 0 && !isWithin(request.ip, holder.networks)) {
    throw new Fault(
      "network_refused",
      `The API key may not be used from ${request.ip}: send the request from one of its networks.`,
    );
  }
  const scope = neededScope(request);
  if (scope === null || covers(holder, scope)) return;
  if (scope === "unlimited")
    throw new Fault(
      "scope_missing",
      "Only a key without limits may make or revoke keys: use such a key.",
    );
  throw new Fault(
    "scope_missing",
    `This request needs ${scopesNeeded(scope).join(" and ")}. The API key has: ${holder.scopes.join(", ") || "every other scope"}. Use a key with what is needed.`,
  );
}

/** True if a key with these limits may do what needs this scope. */
export function covers({ scopes, networks, expiresAt }: Limits, scope: NeededScope): boolean {
  if (scope === "unlimited")
    return scopes.length === 0 && networks.length === 0 && expiresAt === null;
  if (scopesNeeded(scope).every((one) => scopes.includes(one))) return true;
  return scopes.length === 0 && scope !== "wallets:write";
}

/** True if the address is in one of the CIDR blocks. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const allowed = new BlockList();
  for (const network of networks) {
    const [base = "", bits = ""] = network.split("/");
    allowed.addSubnet(base, Number(bits), isIPv6(base) ? "ipv6" : "ipv4");
  }
  // This check also finds an IPv4 address in IPv6 form in the IPv4 blocks.
  return allowed.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
