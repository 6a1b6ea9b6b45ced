import { isIPv6 } from "node:net";
import type { RateLimit } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";

/**
 * The most addresses that are remembered. When it is full, the address whose last failure is oldest
 * is dropped.
 */
const maxAddresses = 10_000;

/** Counts wrong credentials by address. */
export type FailedCredentials = {
  /** @throws Fault `rate_limited` while the address has too many */
  refuse: (address: string) => void;
  /** True while `refuse` would throw. */
  hasTooMany: (address: string) => boolean;
  /** Counts one more. */
  note: (address: string) => void;
};

/**
 * Counts wrong credentials by address, in this process. Somebody who guesses does not lock out
 * others at the same address. A recently right credential, or an operator's, is checked before the
 * count.
 * @param limit `burst` wrong credentials are allowed at once; each second, `perSecond` of them stop
 *   counting
 */
export function createFailedCredentials(
  { burst, perSecond }: RateLimit,
  clock: Pick<Clock, "elapsed">,
): FailedCredentials {
  const forgivenEveryMs = 1_000 / perSecond;
  const failed = new Map<string, { count: number; atMs: number }>();

  function countOf(name: string): number {
    const known = failed.get(name);
    if (known === undefined) return 0;
    return Math.max(0, known.count - Math.floor((clock.elapsed() - known.atMs) / forgivenEveryMs));
  }

  const hasTooMany = (address: string) => countOf(networkOf(address)) >= burst;

  return {
    hasTooMany,
    refuse(address) {
      if (!hasTooMany(address)) return;
      throw new Fault(
        "rate_limited",
        "Too many wrong credentials came from this address: wait as long as the header retry-after says.",
        { facts: { retryAfterMs: forgivenEveryMs } },
      );
    },
    note(address) {
      const name = networkOf(address);
      const count = Math.min(burst, countOf(name) + 1);
      failed.delete(name);
      failed.set(name, { count, atMs: clock.elapsed() });
      const oldest = failed.keys().next();
      if (failed.size > maxAddresses && !oldest.done) failed.delete(oldest.value);
    },
  };
}

/**
 * The network that an address is counted in. For IPv6 its first 64 bits, because whoever owns one
 * such address owns them all. An IPv4 address in IPv6 form counts as IPv4.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
