import type { Clock } from "./clock.ts";

/** The time between two ticks of a clock, in ms. */
export const tickMs = 1_000;

/** A timer may end this much too early, in ms, and still counts as its tick. */
const earlyMs = 20;

/** The waits for one tick. `left` ends their common sleep if all of them have ended. */
type Waiting = { wakes: Set<() => void>; left: AbortController };

/** For each clock, the ticks that have waits, by their time. */
const ticks = new WeakMap<Clock, Map<number, Waiting>>();

/**
 * Resolves at the last tick within `ms`, or at once if the signal is aborted. `ms` is at least
 * `tickMs`. Never rejects. All waits for one tick end in the same turn of the event loop. Then the
 * queries that follow can share one statement.
 */
export function sleepToTick(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const nowMs = clock.elapsed();
  const atMs = Math.floor((nowMs + ms + earlyMs) / tickMs) * tickMs;
  const ofClock = ticks.get(clock) ?? new Map<number, Waiting>();
  ticks.set(clock, ofClock);
  const { wakes, left } = ofClock.get(atMs) ?? begin();

  function begin(): Waiting {
    const waiting: Waiting = { wakes: new Set(), left: new AbortController() };
    ofClock.set(atMs, waiting);
    void clock.sleep(atMs - nowMs, waiting.left.signal).then(() => {
      if (ofClock.get(atMs) === waiting) ofClock.delete(atMs);
      for (const wake of [...waiting.wakes]) wake();
    });
    return waiting;
  }

  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener("abort", done);
      wakes.delete(done);
      if (wakes.size === 0) {
        // The next wait begins another sleep.
        if (ofClock.get(atMs)?.wakes === wakes) ofClock.delete(atMs);
        left.abort();
      }
      resolve();
    };
    wakes.add(done);
    signal.addEventListener("abort", done, { once: true });
  });
}
