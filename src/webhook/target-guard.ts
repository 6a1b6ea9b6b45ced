import ipaddr from "ipaddr.js";
import { Fault } from "../domain/fault.ts";

/** An exception in `webhooks.allow`. It opens the usual ports, and port 80 if `http` is true. */
type TargetException = {
  cidr: string;
  ports: number[];
  http: boolean;
  /** The ids of the businesses that may use it. Null: all may. */
  businesses: readonly string[] | null;
};

/** Where Chainbell may POST, in addition to public https addresses on port 443. */
export type TargetPolicy = {
  /** More ports for public addresses. */
  ports: number[];
  /** CIDR blocks that are always refused, even if an exception allows them. */
  deny: string[];
  allow: TargetException[];
  /** Development mode: loopback addresses are allowed, with http and on any port. */
  isLoopbackOpen: boolean;
};

/** A parsed URL. `url` is its normal form, which is stored and compared. */
export type Target = { url: string; protocol: "https:" | "http:"; hostname: string; port: number };

/**
 * Says whether an address may be dialled, and by which rule. If the rule is `allow`, the answer of
 * that address is not shown to the business.
 */
export type AddressVerdict =
  | { kind: "open"; by: "public" | "allow" | "development" }
  | { kind: "refused"; reason: string };

/** No receiver needs a longer URL; the limit keeps rows and logs small. */
const longestUrl = 2048;

// IANA special-purpose IPv4 blocks. Then blocks that no registry lists: the Azure host (wire
// server), which guests can reach.
const refusedIpv4 = ranges({
  "0.0.0.0/8": "unspecified",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "carrier-grade NAT",
  "127.0.0.0/8": "loopback",
  "169.254.0.0/16": "link-local",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "reserved",
  "192.0.2.0/24": "documentation",
  "192.31.196.0/24": "AS112",
  "192.52.193.0/24": "multicast relay",
  "192.88.99.0/24": "6to4 relay",
  "192.168.0.0/16": "private",
  "192.175.48.0/24": "AS112",
  "198.18.0.0/15": "benchmarking",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "reserved",
  "168.63.129.16/32": "cloud metadata",
});

// Of IPv6 only global unicast is allowed, except for these blocks. All else is outside of it:
// loopback, unique local, link-local, multicast, NAT64, mapped, compatible.
const globalIpv6 = ipaddr.parseCIDR("2000::/3");
const refusedIpv6 = ranges({
  "2001::/23": "reserved",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4",
  "2620:4f:8000::/48": "AS112",
  "3fff::/20": "documentation",
});

/**
 * The policy for one business: leaves out the exceptions that name only other businesses. Null: no
 * business, so only the exceptions for all apply.
 */
export function policyFor(policy: TargetPolicy, businessId: string | null): TargetPolicy {
  const allow = policy.allow.filter(({ businesses }) => isFor(businesses, businessId));
  return { ...policy, allow };
}

/** True if an exception names the business. Then other businesses may not use its connections. */
export function hasOwnException({ allow }: TargetPolicy, businessId: string): boolean {
  return allow.some(({ businesses }) => businesses?.includes(businessId) === true);
}

function isFor(businesses: TargetException["businesses"], businessId: string | null): boolean {
  return businesses === null || (businessId !== null && businesses.includes(businessId));
}

/**
 * Parses a URL that a business registers. Refuses what the text alone shows: credentials, http,
 * closed ports, literal addresses that are not public. A name is checked later, when it is resolved
 * (`checkAddress`).
 * @throws Fault `invalid_url`; `target_refused` with the reason
 */
export function parseTarget(text: string, policy: TargetPolicy): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || text.length > longestUrl || !/^https?:$/.test(url.protocol)) {
    throw new Fault("invalid_url", "The webhook's url must be an absolute https URL.");
  }
  if (url.username !== "" || url.password !== "") {
    throw refusal("credentials in the URL are not sent; leave them out");
  }
  url.hash = "";
  url.hostname = hostOf(url);
  if (/^\.|\.\.|\.$/.test(url.hostname)) {
    throw new Fault("invalid_url", "The webhook's url has an empty part in its host name.");
  }
  const protocol = url.protocol === "https:" ? "https:" : "http:";
  const port = url.port === "" ? (protocol === "https:" ? 443 : 80) : Number(url.port);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const target = { url: url.href, protocol, hostname, port } as const;
  const reason = ipaddr.isValid(hostname)
    ? refusedReason(checkAddress(hostname, target, policy))
    : refusedName(target, policy);
  if (reason !== null) throw refusal(reason);
  return target;
}

/**
 * A URL's host without the dot of the root. The guard, the look-up and the dial then all use one
 * name for one host.
 */
export function hostOf(url: Pick<URL, "hostname">): string {
  return url.hostname.replace(/\.$/, "");
}

/**
 * Says whether one address, literal or resolved, may be dialled with this protocol and port.
 * Refuses an address that cannot be parsed.
 */
export function checkAddress(
  address: string,
  target: Pick<Target, "protocol" | "port">,
  policy: TargetPolicy,
): AddressVerdict {
  const bare = address.replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return { kind: "refused", reason: "the address cannot be read" };
  const ip = ipaddr.process(bare);
  if (policy.deny.some((cidr) => contains(ipaddr.parseCIDR(cidr), ip)))
    return { kind: "refused", reason: "the operator does not allow this address" };
  if (policy.isLoopbackOpen && ip.range() === "loopback")
    return { kind: "open", by: "development" };
  const isAllowed = policy.allow.some(
    (exception) =>
      contains(ipaddr.parseCIDR(exception.cidr), ip) && isWithin(exception, target, policy),
  );
  if (isAllowed) return { kind: "open", by: "allow" };
  const block = specialBlock(ipaddr.parse(bare));
  if (block !== null) {
    return { kind: "refused", reason: `the target must be a public address, not ${block}` };
  }
  const reason = refusedTransport(target, policy);
  return reason === null ? { kind: "open", by: "public" } : { kind: "refused", reason };
}

/** The fault for a target that is refused at registration. */
export function refusal(reason: string): Fault {
  return new Fault("target_refused", `The webhook's url is refused: ${reason}.`, {
    facts: { reason },
  });
}

/**
 * A name may resolve to the address of an exception. So it passes if any exception would allow it.
 */
function refusedName(target: Target, policy: TargetPolicy): string | null {
  const isPossible =
    policy.isLoopbackOpen || policy.allow.some((exception) => isWithin(exception, target, policy));
  return isPossible ? null : refusedTransport(target, policy);
}

function refusedTransport(
  target: Pick<Target, "protocol" | "port">,
  policy: TargetPolicy,
): string | null {
  if (target.protocol !== "https:") return "it must be https";
  if (target.port === 443 || policy.ports.includes(target.port)) return null;
  const open = [443, ...policy.ports].join(", ");
  return `port ${target.port} is not open (${open})`;
}

function isWithin(
  exception: TargetException,
  target: Pick<Target, "protocol" | "port">,
  policy: TargetPolicy,
): boolean {
  if (target.protocol === "http:" && !exception.http) return false;
  const ports =
    exception.ports.length > 0
      ? exception.ports
      : [443, ...policy.ports, ...(exception.http ? [80] : [])];
  return ports.includes(target.port);
}

/** The special-purpose block that contains an address. Null: the address is public. */
function specialBlock(ip: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  if (ip.kind() === "ipv4") return refusedIpv4.find(([cidr]) => contains(cidr, ip))?.[1] ?? null;
  if (!contains(globalIpv6, ip)) return ip.range() === "unicast" ? "reserved" : ip.range();
  return refusedIpv6.find(([cidr]) => contains(cidr, ip))?.[1] ?? null;
}

type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

function contains([base, bits]: Cidr, ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return base.kind() === ip.kind() && ip.match(base, bits);
}

function ranges(names: Record<string, string>): [Cidr, string][] {
  return Object.entries(names).map(([cidr, name]) => [ipaddr.parseCIDR(cidr), name]);
}

function refusedReason(verdict: AddressVerdict): string | null {
  return verdict.kind === "refused" ? verdict.reason : null;
}
