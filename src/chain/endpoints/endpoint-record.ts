import type { Clock } from "../../runtime/clock.ts";

/** The record of an endpoint. */
export type EndpointRecord = ReturnType<typeof createEndpointRecord>;

/** The weight of the newest request in score and latency. About the last twenty count. */
const newestWeight = 0.05;

/**
 * After a failure other endpoints are preferred for this many ms. Each further failure in a row
 * doubles it.
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
    /** Notes the answer to a request that was sent at `sentMs`. */
    answered(sentMs: number): void {
      const tookMs = clock.elapsed() - sentMs;
      score += newestWeight * (1 - score);
      latencyMs = latencyMs === null ? tookMs : latencyMs + newestWeight * (tookMs - latencyMs);
      silentSinceMs = null;
      // An answer to a request from before the last failure does not end that failure.
      if (benchedUntilMs < sentMs) failuresInRow = 0;
    },

    /** @param spareMs how long the endpoint asked for no requests, in ms */
    failed(reason: string, spareMs = 0): void {
      score -= newestWeight * score;
      failures += 1;
      failuresInRow += 1;
      lastError = reason;
      const benchMs = Math.max(spareMs, firstBenchMs * 2 ** Math.min(failuresInRow - 1, 20));
      benchedUntilMs = clock.elapsed() + Math.min(maxBenchMs, benchMs);
    },

    /**
     * Notes that a request sent at `sentMs` got no answer. The silence begins then, or earlier if
     * it began before.
     */
    silent(sentMs: number): void {
      silentSinceMs ??= sentMs;
    },

    /** Until when other endpoints are preferred. */
    benchedUntilMs: () => benchedUntilMs,
    /** Since when it has answered nothing; null: it answers. */
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
