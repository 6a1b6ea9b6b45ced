import { setMaxListeners } from "node:events";
import type { Clock } from "../../runtime/clock.ts";

/** The outcome of a request, for the pace of its endpoint. */
type PaceOutcome =
  | { kind: "answered" }
  /** The request took too long, or the connection failed. */
  | { kind: "strained" }
  /** The endpoint asked for fewer requests, and may have said how long to wait. */
  | { kind: "throttled"; retryAfterMs: number | null };

export type Pacer = {
  /** Waits for its turn. Call `leave` once for each `enter`, with its result and the outcome. */
  enter: () => Promise<number>;
  leave: (enteredMs: number, outcome: PaceOutcome) => void;
  /** The present limit, in requests a second; null: there is none. */
  perSecond: () => number | null;
  concurrency: () => number;
};

/**
 * Requests under way at once: enough to keep a distant node busy, and not too many for a small one.
 */
const concurrency = { initial: 16, most: 32 };

/** Pauses without requests after refusals. The daemon must be able to end within 20 s. */
const pauses = {
  /** After this many refusals in a row without an answer, requests pause. */
  afterInRow: 6,
  /** The first pause. Each further refusal doubles it. */
  firstMs: 250,
  longestMs: 5_000,
  /** The longest pause if the endpoint says how long to wait. */
  longestAskedMs: 10_000,
};

/**
 * Finds out how many requests an endpoint accepts. It starts without a limit. When the endpoint
 * refuses requests, the limit becomes the number answered in one second, and then rises slowly (see
 * createRate). If the endpoint says how long to wait, or refuses everything, requests pause.
 * Requests get their turn in order.
 */
export function createPacer(clock: Clock): Pacer {
  const never = new AbortController().signal;
  // Every waiting request adds a listener to it.
  setMaxListeners(0, never);
  const waiting: (() => void)[] = [];
  const rate = createRate(clock);
  let limit = concurrency.initial;
  let active = 0;
  let nextMs = 0;
  let pausedUntilMs = 0;
  /** When the last refusal or strain came. Requests sent before that say nothing new. */
  let slowedMs = 0;
  let complaintsInRow = 0;

  function nextSlot(): number {
    const slotMs = Math.max(clock.elapsed(), nextMs, pausedUntilMs);
    nextMs = slotMs + 1_000 / rate.perSecond();
    return slotMs;
  }

  /** @param isFurther true if the refusal is not of requests that were under way together */
  function pause(retryAfterMs: number | null, isFurther: boolean): void {
    if (isFurther) complaintsInRow += 1;
    const doublings = complaintsInRow - pauses.afterInRow;
    const ownMs = doublings < 0 ? 0 : Math.min(pauses.longestMs, pauses.firstMs * 2 ** doublings);
    const pauseMs = Math.min(pauses.longestAskedMs, Math.max(retryAfterMs ?? 0, ownMs));
    pausedUntilMs = Math.max(pausedUntilMs, clock.elapsed() + pauseMs);
  }

  return {
    async enter() {
      if (active >= Math.floor(limit)) await new Promise<void>((go) => waiting.push(go));
      else active += 1;
      let slotMs = nextSlot();
      for (let now = clock.elapsed(); now < slotMs; now = clock.elapsed()) {
        await clock.sleep(slotMs - now, never);
        // A pause may have begun while this one waited.
        if (pausedUntilMs > slotMs) slotMs = nextSlot();
      }
      return clock.elapsed();
    },
    leave(enteredMs, outcome) {
      active -= 1;
      // Of requests that were under way together, only the first refusal is news.
      const isNews = enteredMs > slowedMs;
      if (outcome.kind !== "answered" && isNews) slowedMs = clock.elapsed();
      switch (outcome.kind) {
        case "answered":
          complaintsInRow = 0;
          limit = Math.min(concurrency.most, limit + 1 / limit);
          rate.count("answered");
          break;
        case "throttled":
          rate.count("refused");
          pause(outcome.retryAfterMs, isNews);
          break;
        case "strained":
          if (isNews) limit = Math.max(1, limit / 2);
      }
      while (active < Math.floor(limit)) {
        const go = waiting.shift();
        if (go === undefined) return;
        active += 1;
        go();
      }
    },
    perSecond() {
      const perSecond = rate.perSecond();
      return Number.isFinite(perSecond) ? Math.round(perSecond * 10) / 10 : null;
    },
    concurrency: () => Math.floor(limit),
  };
}

const rates = {
  /** The lowest limit. No provider offers less. */
  lowestPerSecond: 3,
  /** A limit that has risen to this is removed. */
  unlimitedPerSecond: 1_000,
  /** Each answer raises the limit by this share. From the lowest limit to none takes about 30 s. */
  growth: 0.02,
  /** The share of refusals is judged after at least this many requests and this time. */
  judged: { requests: 24, ms: 1_000 },
  /** Refusals are too many if their share exceeds the expected share by more than this. */
  tolerance: 0.15,
  /** Slowing down helped if the share of refusals fell below this part of the earlier share. */
  helped: 0.8,
  /** At each judgement the expected share is multiplied by this. */
  kept: 0.9,
  /** A higher share of refusals never counts as chance, and the limit is not raised again. */
  mostByChance: 0.75,
};

/**
 * Finds the rate that an endpoint answers. Too many refusals lower the limit to the number answered
 * in one second. If slowing down did not reduce the refusals, the pace was not their cause. A busy
 * load balancer refuses some requests of every client. Then the earlier limit returns. That share
 * of refusals is expected from then on, a little less at each judgement.
 */
function createRate(clock: Clock) {
  let perSecond = Number.POSITIVE_INFINITY;
  let expected = 0;
  let before: { share: number; perSecond: number } | null = null;
  let seen = { sinceMs: 0, answered: 0, refused: 0 };

  function judge(share: number, sentPerSecond: number): void {
    const isTooMuch = share > expected + rates.tolerance;
    const isLowest = perSecond <= rates.lowestPerSecond;
    const hasNotHelped = before !== null && (isLowest || share > before.share * rates.helped);
    if (!isTooMuch) before = null;
    else if (before !== null && hasNotHelped && share <= rates.mostByChance) {
      perSecond = before.perSecond;
      expected = share;
      before = null;
    } else {
      before = { share, perSecond: before?.perSecond ?? perSecond };
      const atMost = Math.min(perSecond, sentPerSecond);
      const answered = (atMost * (1 - share)) / (1 - expected);
      perSecond = Math.max(rates.lowestPerSecond, answered, atMost / 2);
    }
    expected = Math.min(expected, share) * rates.kept;
  }

  return {
    perSecond: () => perSecond,
    count(outcome: "answered" | "refused"): void {
      if (outcome === "answered" && before === null) {
        perSecond *= 1 + rates.growth;
        if (perSecond >= rates.unlimitedPerSecond) perSecond = Number.POSITIVE_INFINITY;
      }
      const now = clock.elapsed();
      if (seen.answered + seen.refused === 0) seen.sinceMs = now;
      seen[outcome] += 1;
      const requests = seen.answered + seen.refused;
      const lastedMs = now - seen.sinceMs;
      if (requests < rates.judged.requests || lastedMs < rates.judged.ms) return;
      judge(seen.refused / requests, (requests * 1_000) / lastedMs);
      seen = { sinceMs: now, answered: 0, refused: 0 };
    },
  };
}
