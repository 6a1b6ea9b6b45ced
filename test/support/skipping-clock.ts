import { type Clock, systemClock } from "../../src/runtime/clock.ts";

/** A clock that can be put forward; what waits on it waits a twentieth of its time. */
export function createSkippingClock(): Clock & { skip: (ms: number) => void } {
  let skippedMs = 0;
  return {
    now: () => systemClock.now() + skippedMs,
    elapsed: () => systemClock.elapsed() + skippedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
    skip(ms) {
      skippedMs += ms;
    },
  };
}
