import { lookup, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createSemaphore } from "../runtime/semaphore.ts";

/** Finds every address of a name. Rejects if there is none, or if the signal is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** The limit for one query to a name server. The sender's deadline limits all of them together. */
const queryTimeoutMs = 4_000;
const tries = 2;

// getaddrinfo uses one of libuv's four threads until the name server answers. A few dead names
// could block all look-ups and all file access. So only names that neither DNS nor the hosts file
// knows (search domains) use it. This many use it at a time.
const systemLookups = 2;

/**
 * The limit for one whole look-up, including the wait for its turn. A caller may give up sooner.
 */
const lookupTimeoutMs = 12_000;

/**
 * The number of names that are asked for at once. Each uses sockets until its name server answers.
 */
const queries = 64;

/** The file with names that DNS need not know. */
const hostsFile =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/**
 * Makes a resolver of limited cost. Concurrent calls for the same name share one answer. Other
 * names wait for their turn until their signal is aborted. Names in the hosts file do not wait.
 * @param hosts reads the current text of the hosts file
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
    // Not the first caller's signal: other callers may wait for the same answer.
    const signal = AbortSignal.timeout(lookupTimeoutMs);
    const asked = await inDns.take(() => askNameServers(hostname, signal), signal);
    return asked.length > 0 ? asked : inSystem.take(() => lookupInSystem(hostname), signal);
  }

  return async (hostname, signal) => {
    signal.throwIfAborted();
    // RFC 6761, section 6.3: these names are always loopback, and need no query.
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

/**
 * Finds the addresses of a name in a hosts file. Each line has an address, its names, and perhaps a
 * comment.
 */
function addressesIn(hosts: string, hostname: string): string[] {
  return hosts.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const isNamed = names.some((name) => name.toLowerCase() === hostname.toLowerCase());
    return isNamed && isIP(address) !== 0 ? [address] : [];
  });
}

/** Empty if the name is not known. Rejects if no server answers that. */
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

// ECONNREFUSED: there is no name server at all, so only the system can resolve the name.
function isUnknown(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["ENOTFOUND", "ENODATA", "EBADNAME", "ECONNREFUSED"].includes(code);
}
