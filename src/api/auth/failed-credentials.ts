import { isIPv6 } from "node:net";
import type { RateLimit } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";

/** Addresses remembered at once; the one that failed longest ago is forgotten first. */
const maxAddresses = 10_000;

/** How many wrong credentials came from where. */
export type FailedCredentials = {
  /** @throws Fault `rate_limited` while an address has shown too many */
  refuse: (address: string) => void;
  /** Notes one that was wrong. Answers how many of this address are not forgiven yet. */
  note: (address: string) => number;
};

/**
 * Counts wrong credentials by address, in this process. Who shares an address with somebody who guesses is not locked out: a
 * credential that was right lately, and an operator's, is looked at first.
 * @param limit `burst` wrong ones at once, and `perSecond` are forgiven
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

  return {
    refuse(address) {
      if (countOf(networkOf(address)) < burst) return;
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
      return count;
    },
  };
}

/** Of IPv6 the first 64 bits: whoever has one address of them has all. An IPv4 address in IPv6 form is that address. */
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
