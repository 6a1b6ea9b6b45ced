import type { Clock } from "../runtime/clock.ts";

/** The places for sends that are under way at once. */
export type Slots = {
  /**
   * Takes a slot, in the order of asking. Resolves with what is to be called once, when the send was answered; with null
   * when no slot became free within twice `patienceMs`, or `close` came first: nothing may be sent then.
   * @param onFree called once, when the slot has gone to others: the send was answered, or is hanging
   */
  take: (onFree: () => void) => Promise<Answered | null>;
  /** Whether so many sends may be begun, beside `begun` that still need a slot. */
  haveRoom: (begun: number, deliveries: number) => boolean;
  /** Lets nobody wait any more. Safe to repeat. */
  close: () => void;
};

export type Answered = () => void;

/** A send that has a slot. */
type Holder = { sinceMs: number; onFree: () => void };

/** Somebody who asked for a slot when none was free. */
type Waiter = {
  onFree: () => void;
  answer: (answered: Answered | null) => void;
  /** Was here already when the last look began: is refused at the end of it. */
  isOld: boolean;
};

/**
 * `count` slots. Who asks for one goes through these states:
 *
 *     asks ── a slot is free ──────────────────────────> has a slot ── answered ──> over
 *      └── none is free ──> waits ── one becomes free ──────^  └── not answered for `slotHeldMs`
 *                             │                                     ──> hanging, without a slot ── answered ──> over
 *                             └── has waited for a whole look, or close() ──> refused
 *
 * - `holders` are those who have a slot: never more than `count`. `hanging` counts those who gave theirs up: never more
 *   than `hangingShare` of `count`; beyond that a slot is held until the answer or the time limit.
 * - What hangs costs a connection and no work, so it keeps no slot from those that are answered. However many receivers
 *   begin to hang at once, the others wait for `slotHeldMs` and not for a time limit (docs/contract.md#fairness).
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
  slotHeldMs: number;
  hangingShare: number;
  clock: Clock;
}): Slots {
  const { count, aheadShare, patienceMs, slotHeldMs, hangingShare, clock } = options;
  const ahead = Math.floor(count * aheadShare);
  const mostHanging = count * hangingShare;
  const waiting: Waiter[] = [];
  /** In the order in which they took their slots. */
  const holders = new Set<Holder>();
  const pace = createPace({ count: ahead, withinMs: patienceMs, clock });
  const closing = new AbortController();
  let hanging = 0;
  let isLooking = false;
  let isWatching = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.length > 0) {
      for (const waiter of waiting) waiter.isOld = true;
      await clock.sleep(patienceMs, closing.signal);
      while (waiting[0]?.isOld === true) waiting.shift()?.answer(null);
    }
    isLooking = false;
  }

  /** One timer, for the slot that was taken longest ago. */
  async function watch(): Promise<void> {
    isWatching = true;
    for (let oldest = first(holders); oldest !== null; oldest = first(holders)) {
      if (hanging >= mostHanging || closing.signal.aborted) break;
      const leftMs = oldest.sinceMs + slotHeldMs - clock.elapsed();
      if (leftMs > 0) await clock.sleep(leftMs, closing.signal);
      else {
        hanging += 1;
        leave(oldest);
      }
    }
    isWatching = false;
  }

  function give(onFree: () => void): Answered {
    const holder = { sinceMs: clock.elapsed(), onFree };
    holders.add(holder);
    if (!isWatching) void watch();
    return () => {
      if (holders.has(holder)) return leave(holder);
      hanging -= 1;
      if (!isWatching) void watch();
    };
  }

  function leave(holder: Holder): void {
    holders.delete(holder);
    pace.note();
    const next = waiting.shift();
    next?.answer(give(next.onFree));
    holder.onFree();
  }

  return {
    async take(onFree) {
      if (holders.size < count) return give(onFree);
      if (closing.signal.aborted) return null;
      return new Promise((answer) => {
        waiting.push({ onFree, answer, isOld: false });
        if (!isLooking) void look();
      });
    },
    haveRoom: (begun, deliveries) =>
      begun === 0 || begun + deliveries <= count + (pace.isQuick() ? ahead : 0),
    close() {
      closing.abort();
      while (waiting.length > 0) waiting.shift()?.answer(null);
    },
  };
}

/** Whether `count` slots became free within the last `withinMs`. */
function createPace({ count, withinMs, clock }: { count: number; withinMs: number; clock: Clock }) {
  const freedAtMs: number[] = [];
  return {
    note(): void {
      freedAtMs.push(clock.elapsed());
      if (freedAtMs.length > count) freedAtMs.shift();
    },
    isQuick(): boolean {
      const longestAgoMs = freedAtMs[0];
      if (longestAgoMs === undefined || freedAtMs.length < count) return false;
      return clock.elapsed() - longestAgoMs < withinMs;
    },
  };
}

function first<Item>(items: Set<Item>): Item | null {
  for (const item of items) return item;
  return null;
}
