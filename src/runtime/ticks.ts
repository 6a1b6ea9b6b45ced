import type { Clock } from "./clock.ts";

/** The time in ms between two ticks of a clock. */
export const tickMs = 1_000;

/** A timer may end so much too early, in ms, and still means the tick it was set for. */
const earlyMs = 20;

/** The waits for one tick, and the end of their common sleep once nobody is left. */
type Waiting = { wakes: Set<() => void>; left: AbortController };

/** The ticks of each clock that somebody waits for, by their time. */
const ticks = new WeakMap<Clock, Map<number, Waiting>>();

/**
 * Resolves at the last tick within `ms`, which are at least `tickMs`, or at once when the signal is
 * aborted. Never rejects. The waits for one tick end in the same turn of the event loop, so the
 * questions that follow can share one statement.
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
        // The next wait begins a sleep of its own.
        if (ofClock.get(atMs)?.wakes === wakes) ofClock.delete(atMs);
        left.abort();
      }
      resolve();
    };
    wakes.add(done);
    signal.addEventListener("abort", done, { once: true });
  });
}
