import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createSemaphore } from "../runtime/semaphore.ts";

/** Every address of a name. Rejects when there is none or the signal is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** The limit for one query to a name server; the sender's deadline limits all of them together. */
const queryTimeoutMs = 4_000;
const tries = 2;

// getaddrinfo occupies one of libuv's four threads for as long as a name server is silent. A few
// dead names could so stop every look-up and file access. So it is asked only for names that
// neither DNS nor the hosts file knows (search domains). This many names are asked for at a time.
const systemLookups = 2;

/** For all of a look-up, also while it waits for its turn: whoever asks may give up sooner. */
const lookupTimeoutMs = 12_000;

/** Names asked for at once: each holds sockets for as long as its name server is silent. */
const queries = 64;

/** Where names are kept that DNS need not know. */
const hostsFile =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/**
 * A resolver of bounded cost. Callers that ask for the same name at the same time share one answer.
 * Further names wait for their turn as long as their signal lets them. Names of the hosts file wait
 * for nobody.
 * @param hosts the text of the hosts file, as it is at that moment
 */
export function createResolveHost(
  hosts: () => Promise<string> = () => readFile(hostsFile, "utf8").catch(() => ""),
): ResolveHost {
  const asking = new Map<string, Promise<string[]>>();
  const inDns = createSemaphore(queries);
  const inSystem = createSemaphore(systemLookups);

  const lookupInSystem = async (hostname: string) =>
    (await lookup(hostname, { all: true })).map(({ address }) => address);

  async function resolve(hostname: string): Promise<string[]> {
    // Not the signal of the first who asks: others may wait for the same answer.
    const signal = AbortSignal.timeout(lookupTimeoutMs);
    const asked = await inDns.take(() => askNameServers(hostname, signal), signal);
    return asked.length > 0 ? asked : inSystem.take(() => lookupInSystem(hostname), signal);
  }

  return async (hostname, signal) => {
    signal.throwIfAborted();
    // RFC 6761, section 6.3: these names are loopback and are not asked for.
    if (/(^|\.)localhost$/i.test(hostname)) return ["127.0.0.1", "::1"];
    const known = addressesIn(await hosts(), hostname);
    if (known.length > 0) return known;
    const shared = asking.get(hostname) ?? resolve(hostname).finally(() => asking.delete(hostname));
    asking.set(hostname, shared);
    return unlessAborted(shared, signal);
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason);
  });
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** The hosts file: an address and its names in each line, and comments. */
function addressesIn(hosts: string, hostname: string): string[] {
  return hosts.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const isNamed = names.some((name) => name.toLowerCase() === hostname.toLowerCase());
    return isNamed && isIP(address) !== 0 ? [address] : [];
  });
}

/** Empty when the name is not known; rejects when no server says so. */
async function askNameServers(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failed = answers.find(
      (answer) => answer.status === "rejected" && !isUnknown(answer.reason),
    );
    if (found.length === 0 && failed?.status === "rejected") throw failed.reason;
    return found;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

// ECONNREFUSED: there is no name server at all, so the system's own way is the only one.
function isUnknown(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["ENOTFOUND", "ENODATA", "EBADNAME", "ECONNREFUSED"].includes(code);
}
