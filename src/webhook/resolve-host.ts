import { lookup, Resolver } from "node:dns/promises";

/** Every address of a name. Rejects when there is none or the signal is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** The limit for one query to a name server; the sender's deadline limits all of them together. */
const queryTimeoutMs = 4_000;
const tries = 2;

// getaddrinfo occupies one of libuv's four threads for as long as a name server is silent, so a few dead names could
// stop every look-up and file access. It is asked only for names that DNS does not know (the hosts file, search
// domains), and by this many at a time.
const systemLookups = 2;

/** A resolver that never lets one business's slow name server delay another's look-up. */
export function createResolveHost(): ResolveHost {
  let free = systemLookups;

  async function lookupInSystem(hostname: string): Promise<string[]> {
    if (free === 0) throw new Error(`too many look-ups of unknown names; '${hostname}' was left`);
    free -= 1;
    try {
      const found = await lookup(hostname, { all: true });
      return found.map(({ address }) => address);
    } finally {
      free += 1;
    }
  }

  return async (hostname, signal) => {
    // RFC 6761, section 6.3: these names are loopback and are not asked for.
    if (/(^|\.)localhost$/i.test(hostname)) return ["127.0.0.1", "::1"];
    const asked = await askNameServers(hostname, signal);
    if (asked.length > 0) return asked;
    return lookupInSystem(hostname);
  };
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
