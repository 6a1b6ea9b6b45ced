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

/** Somebody who asked for a slot when none was free. */
type Waiter = {
  answer: (isTaken: boolean) => void;
  /** Was here already when the last look began: is refused at the end of it. */
  isOld: boolean;
};

/**
 * `count` slots. Who asks for one goes through these states:
 *
 *     asks ── a slot is free ──────────────────────────> has a slot ── free() ──> over
 *      └── none is free ──> waits ── one becomes free ──────^
 *                             └── has waited for a whole look, or close() ──> refused
 *
 * - `taken` counts those who have a slot: never more than `count`.
 * - Somebody waits only while every slot is taken. A slot that becomes free goes to the one who has waited longest, and
 *   counts as taken all along.
 * - While somebody waits, looks follow one another, each of `patienceMs`. At the end of a look those who were waiting at its
 *   beginning are refused: after one look at the earliest and two at the latest. One timer serves everybody.
 * - After `close` nobody waits: who asks has a slot or is refused at once.
 *
 * Beside the sends that have a slot, some are begun ahead: to begin one takes a round trip to the ledger, and a slot would
 * stand empty for as long. They are at most `aheadShare` of the slots, and there are none unless as many slots have
 * become free within the last `patienceMs`: else they would wait in vain.
 */
export function createSlots(options: {
  count: number;
  aheadShare: number;
  patienceMs: number;
  clock: Clock;
}): Slots {
  const { count, aheadShare, patienceMs, clock } = options;
  const ahead = Math.floor(count * aheadShare);
  const waiting: Waiter[] = [];
  /** When slots became free, of the last ones: as many as may be begun ahead. */
  const freedAtMs: number[] = [];
  const closing = new AbortController();
  let taken = 0;
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.length > 0) {
      for (const waiter of waiting) waiter.isOld = true;
      await clock.sleep(patienceMs, closing.signal);
      while (waiting[0]?.isOld === true) answerFirst(false);
    }
    isLooking = false;
  }

  function answerFirst(isTaken: boolean): void {
    waiting.shift()?.answer(isTaken);
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
      return new Promise((answer) => {
        waiting.push({ answer, isOld: false });
        if (!isLooking) void look();
      });
    },
    free() {
      freedAtMs.push(clock.now());
      if (freedAtMs.length > ahead) freedAtMs.shift();
      if (waiting.length > 0) answerFirst(true);
      else taken -= 1;
    },
    haveRoom: (begun, deliveries) =>
      begun === 0 || begun + deliveries <= count + (isQuick() ? ahead : 0),
    close() {
      closing.abort();
      while (waiting.length > 0) answerFirst(false);
    },
  };
}
