import type { BusinessLedger } from "../../domain/business/business-ledger.ts";
import type { RateLimit } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";

export type RateLimitDeps = Pick<BusinessLedger, "takeTokens"> & {
  rateLimit: RateLimit;
  clock: Pick<Clock, "elapsed">;
};

type Waiting = { resolve: (waitMs: number) => void; reject: (error: unknown) => void };

/**
 * The state of one key in this process: the requests that wait, and the end of its empty bucket.
 */
type Known = { waiting: Waiting[]; isAsking: boolean; emptyUntilMs: number };

/** The most keys that are remembered. A key whose bucket is being asked is not forgotten. */
const maxKnownKeys = 10_000;

/**
 * Lets a key's request pass, or throws Fault `rate_limited` with `facts.retryAfterMs`. A key asks
 * its bucket one question at a time, however many requests it sends. Requests that arrive during a
 * question share the next one. An empty bucket is not asked again before it has something.
 */
export function createRateLimit(deps: RateLimitDeps): (keyId: string) => Promise<void> {
  const { takeTokens, rateLimit, clock } = deps;
  const keys = new Map<string, Known>();

  function knownOf(keyId: string): Known {
    const known = keys.get(keyId) ?? { waiting: [], isAsking: false, emptyUntilMs: 0 };
    if (!keys.has(keyId) && keys.size >= maxKnownKeys) forgetOne();
    keys.set(keyId, known);
    return known;
  }

  function forgetOne(): void {
    for (const [keyId, known] of keys) {
      if (known.isAsking) continue;
      keys.delete(keyId);
      return;
    }
  }

  async function ask(keyId: string, known: Known): Promise<void> {
    known.isAsking = true;
    while (known.waiting.length > 0) {
      const asking = known.waiting.splice(0);
      try {
        const taken = await takeTokens({ keyId, wanted: asking.length, limit: rateLimit });
        if (taken.granted < asking.length) known.emptyUntilMs = clock.elapsed() + taken.waitMs;
        for (const [index, one] of asking.entries()) {
          one.resolve(index < taken.granted ? 0 : taken.waitMs);
        }
      } catch (error) {
        for (const one of asking) one.reject(error);
      }
    }
    known.isAsking = false;
  }

  return async (keyId) => {
    const known = knownOf(keyId);
    const emptyMs = known.emptyUntilMs - clock.elapsed();
    if (emptyMs > 0) throw limited(emptyMs, rateLimit);
    const waitMs = await new Promise<number>((resolve, reject) => {
      known.waiting.push({ resolve, reject });
      if (!known.isAsking) void ask(keyId, known);
    });
    if (waitMs > 0) throw limited(waitMs, rateLimit);
  };
}

function limited(waitMs: number, { perSecond, burst }: RateLimit): Fault {
  return new Fault(
    "rate_limited",
    `This key may send ${perSecond} requests a second, ${burst} at once: wait as long as the header retry-after says.`,
    { facts: { retryAfterMs: waitMs } },
  );
}
