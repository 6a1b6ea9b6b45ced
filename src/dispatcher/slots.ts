import type { Clock } from "../runtime/clock.ts";

/** The places for sends that are under way at once. */
export type Slots = {
  /**
   * Takes a slot, in the order of asking. Resolves with false when none became free within twice `patienceMs`, or
   * `close` came first: nothing may be sent then.
   */
  take: () => Promise<boolean>;
  /** For each slot that was taken, once. */
  free: () => void;
  /** Whether so many sends may be begun, beside `begun` that are not over yet. */
  haveRoom: (begun: number, deliveries: number) => boolean;
  /** Lets nobody wait any more. Safe to repeat. */
  close: () => void;
};

/**
 * `count` slots, and some sends that are begun before they have one: it takes a round trip to the ledger, and a slot would
 * stand empty for as long. They are as many as `aheadShare` of the slots, and none unless as many slots have become free
 * within the last `patienceMs`: else they would wait in vain.
 */
export function createSlots(options: {
  count: number;
  aheadShare: number;
  patienceMs: number;
  clock: Clock;
}): Slots {
  const { count, aheadShare, patienceMs, clock } = options;
  const ahead = Math.floor(count * aheadShare);
  const waiting: ((isTaken: boolean) => void)[] = [];
  /** Of the last ones that became free, as many as may be begun ahead. */
  const freedAtMs: number[] = [];
  const closing = new AbortController();
  let taken = 0;
  let served = 0;
  let isWatching = false;

  /** Looks once in `patienceMs`, so that nobody needs a timer of his own. */
  async function watch(): Promise<void> {
    isWatching = true;
    while (waiting.length > 0) {
      const lastServed = served + waiting.length;
      await clock.sleep(patienceMs, closing.signal);
      while (served < lastServed) serve(false);
    }
    isWatching = false;
  }

  function serve(isTaken: boolean): void {
    waiting.shift()?.(isTaken);
    served += 1;
  }

  function isQuick(): boolean {
    const longestAgoMs = freedAtMs[0];
    return (
      longestAgoMs !== undefined &&
      freedAtMs.length === ahead &&
      clock.now() - longestAgoMs < patienceMs
    );
  }

  return {
    async take() {
      if (taken < count) {
        taken += 1;
        return true;
      }
      if (closing.signal.aborted) return false;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (!isWatching) void watch();
      });
    },
    free() {
      freedAtMs.push(clock.now());
      if (freedAtMs.length > ahead) freedAtMs.shift();
      if (waiting.length > 0) serve(true);
      else taken -= 1;
    },
    haveRoom: (begun, deliveries) =>
      begun === 0 || begun + deliveries <= count + (isQuick() ? ahead : 0),
    close() {
      closing.abort();
      while (waiting.length > 0) serve(false);
    },
  };
}
