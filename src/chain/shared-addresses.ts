import { lookup } from "node:dns/promises";
import { endpointHost, type Providers } from "../domain/chain/endpoint-host.ts";

/** An IP address of several hosts that count as different ones. */
type SharedAddress = { address: string; hosts: string[] };

/**
 * The IP addresses that URLs of different hosts share. They may be two names or two ports of one
 * node. URLs that the operator has labelled are left out, and so are names that cannot be looked
 * up.
 */
export async function sharedAddresses(
  urls: readonly string[],
  providers: Providers,
): Promise<SharedAddress[]> {
  const hostsOf = new Map<string, Set<string>>();
  for (const url of urls.filter((one) => !providers.has(one))) {
    for (const address of await addressesOf(new URL(url).hostname)) {
      const hosts = hostsOf.get(address) ?? new Set();
      hostsOf.set(address, hosts.add(endpointHost(url, providers)));
    }
  }
  return [...hostsOf].flatMap(([address, hosts]) =>
    hosts.size > 1 ? [{ address, hosts: [...hosts] }] : [],
  );
}

async function addressesOf(hostname: string): Promise<string[]> {
  try {
    const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true });
    return found.map(({ address }) => address);
  } catch {
    return [];
  }
}
