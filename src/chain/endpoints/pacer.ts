import { setMaxListeners } from "node:events";
import type { Clock } from "../../runtime/clock.ts";

/** How a request went, as far as it matters for the pace of its endpoint. */
type PaceOutcome =
  | { kind: "answered" }
  /** It took too long, or the connection failed. */
  | { kind: "strained" }
  /** The endpoint asked for fewer requests; it may have said how long to wait. */
  | { kind: "throttled"; retryAfterMs: number | null };

export type Pacer = {
  /** Waits for its turn. Each `enter` must be followed by one `leave` with what it answered. */
  enter: () => Promise<number>;
  leave: (enteredMs: number, outcome: PaceOutcome) => void;
  /** The present rate, in requests a second; null: there is no limit. */
  perSecond: () => number | null;
  concurrency: () => number;
};

/** How many requests are under way at once: enough to keep a distant node busy, and not too many for a small one. */
const concurrency = { initial: 16, most: 32 };

const rates = {
  /** No provider offers less. One that still complains is not asked until the pause is over. */
  lowestPerSecond: 3,
  /** A rate that has grown to this is no limit any more. */
  unlimitedPerSecond: 1_000,
  /** Each answer raises the rate by this share: from the lowest rate to no limit takes about half a minute. */
  growth: 0.02,
};

/** How long nothing is asked after a complaint. The daemon must be able to end within 20 s. */
const pauses = {
  /** It doubles with each further complaint. */
  firstMs: 250,
  longestMs: 5_000,
  /** Where the endpoint says how long to wait. */
  longestAskedMs: 10_000,
};

/**
 * Finds out how many requests an endpoint accepts. It starts without a limit; when the endpoint complains, the limit
 * becomes half of what was sent in the last second, and then rises slowly. Requests get their turn in order.
 * Complaints about requests that were sent before the last reduction change nothing.
 */
export function createPacer(clock: Clock): Pacer {
  const never = new AbortController().signal;
  // Each request that waits for its turn listens to it.
  setMaxListeners(0, never);
  const waiting: (() => void)[] = [];
  let limit = concurrency.initial;
  let active = 0;
  let rate = Number.POSITIVE_INFINITY;
  let nextMs = 0;
  let pausedUntilMs = 0;
  let slowedMs = 0;
  let complaints = 0;
  let recent = { secondMs: 0, count: 0, before: 0 };

  function count(now: number): void {
    const secondMs = Math.floor(now / 1_000) * 1_000;
    if (secondMs !== recent.secondMs) {
      const isNext = secondMs - recent.secondMs === 1_000;
      recent = { secondMs, count: 0, before: isNext ? recent.count : 0 };
    }
    recent.count += 1;
  }

  function slowDown(retryAfterMs: number | null): void {
    const now = clock.elapsed();
    slowedMs = now;
    complaints += 1;
    const measured = Math.max(recent.count, recent.before);
    rate = Math.max(rates.lowestPerSecond, Math.min(rate, measured) / 2);
    limit = Math.max(1, limit / 2);
    const pauseMs = Math.min(pauses.longestMs, pauses.firstMs * 2 ** (complaints - 1));
    pausedUntilMs = now + Math.min(pauses.longestAskedMs, retryAfterMs ?? pauseMs);
  }

  function speedUp(): void {
    complaints = 0;
    limit = Math.min(concurrency.most, limit + 1 / limit);
    rate *= 1 + rates.growth;
    if (rate >= rates.unlimitedPerSecond) rate = Number.POSITIVE_INFINITY;
  }

  return {
    async enter() {
      if (active >= Math.floor(limit)) await new Promise<void>((go) => waiting.push(go));
      else active += 1;
      const now = clock.elapsed();
      const slotMs = Math.max(now, nextMs, pausedUntilMs);
      nextMs = slotMs + 1_000 / rate;
      if (slotMs > now) await clock.sleep(slotMs - now, never);
      const enteredMs = clock.elapsed();
      count(enteredMs);
      return enteredMs;
    },
    leave(enteredMs, outcome) {
      active -= 1;
      const isNews = enteredMs > slowedMs;
      if (outcome.kind === "answered") speedUp();
      else if (outcome.kind === "throttled" && isNews) slowDown(outcome.retryAfterMs);
      else if (outcome.kind === "strained" && isNews) {
        slowedMs = clock.elapsed();
        limit = Math.max(1, limit / 2);
      }
      while (active < Math.floor(limit)) {
        const go = waiting.shift();
        if (go === undefined) return;
        active += 1;
        go();
      }
    },
    perSecond: () => (Number.isFinite(rate) ? Math.round(rate * 10) / 10 : null),
    concurrency: () => Math.floor(limit),
  };
}
