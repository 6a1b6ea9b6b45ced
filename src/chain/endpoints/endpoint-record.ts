import type { Clock } from "../../runtime/clock.ts";

/** The record of an endpoint. */
export type EndpointRecord = ReturnType<typeof createEndpointRecord>;

/** Weight of the newest request in score and latency: about the last twenty count. */
const newestWeight = 0.05;

/**
 * The time in ms for which other endpoints are preferred after a failure. It doubles with each
 * further failure in a row.
 */
const firstBenchMs = 500;
const maxBenchMs = 60_000;

export function createEndpointRecord(clock: Clock) {
  let score = 1;
  let latencyMs: number | null = null;
  let failures = 0;
  let failuresInRow = 0;
  let benchedUntilMs = 0;
  let silentSinceMs: number | null = null;
  let lastError: string | null = null;

  return {
    /** A request that was sent at `sentMs` has its answer. */
    answered(sentMs: number): void {
      const tookMs = clock.elapsed() - sentMs;
      score += newestWeight * (1 - score);
      latencyMs = latencyMs === null ? tookMs : latencyMs + newestWeight * (tookMs - latencyMs);
      silentSinceMs = null;
      // An answer to a request that was sent before the last failure does not end that failure.
      if (benchedUntilMs < sentMs) failuresInRow = 0;
    },

    /** @param spareMs how long it has asked to be spared */
    failed(reason: string, spareMs = 0): void {
      score -= newestWeight * score;
      failures += 1;
      failuresInRow += 1;
      lastError = reason;
      const benchMs = Math.max(spareMs, firstBenchMs * 2 ** Math.min(failuresInRow - 1, 20));
      benchedUntilMs = clock.elapsed() + Math.min(maxBenchMs, benchMs);
    },

    /**
     * The request that was sent at `sentMs` got no answer: the endpoint has been silent since,
     * unless it was before.
     */
    silent(sentMs: number): void {
      silentSinceMs ??= sentMs;
    },

    /** Until when others are preferred. */
    benchedUntilMs: () => benchedUntilMs,
    /** Since when nothing has been answered; null while it answers. */
    silentSinceMs: () => silentSinceMs,
    summary: () => ({
      score: Math.round(score * 100) / 100,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      failures,
      lastError,
      silentMs: silentSinceMs === null ? null : Math.round(clock.elapsed() - silentSinceMs),
    }),
  };
}
