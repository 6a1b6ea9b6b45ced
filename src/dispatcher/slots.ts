import type { Clock } from "../runtime/clock.ts";

/**
 * The place of one delivery that begins. Call each method once, `send` first. `end` may be called
 * without `send`.
 */
export type Slot = {
  /**
   * Resolves when the request may go out, which is to happen at once. That takes at most about
   * `slotHeldMs`. Without an answer the request may later count as hanging.
   */
  send: () => Promise<void>;
  /** The request was answered, or nothing is sent. */
  end: () => void;
};

export type Slots = {
  /**
   * Takes that many slots together, in the order of the calls, for deliveries that then begin. A
   * number above `count` means all slots. Resolves with null after `close`: then nothing may begin.
   */
  take: (howMany: number) => Promise<Slot[] | null>;
  /**
   * Takes the slots that are free now, as long as at most `most` are taken in total. Takes none if
   * anybody waits for slots, or after `close`.
   */
  takeFree: (most: number) => Slot[];
  /** The number of taken slots. */
  taken: () => number;
  /**
   * Resolves all waiting and later calls of `take` with null. Sends all deliveries that are ready.
   * Safe to repeat.
   */
  close: () => void;
};

type Waiter = { howMany: number; answer: (slots: Slot[] | null) => void };

/**
 * `count` slots for concurrent sends, and one queue for them:
 *
 *     waits ── there is room ──> begins ── send() ──> is ready ── a slot is free ──> is sent
 *       └── close() ──> none       └── end() ──> over                                   │
 *                                                  ^──────── end() ─────────────────────┤
 *                                                  └── end() ── hangs, without a slot <─┘
 *                                                               after `slotHeldMs`
 *
 * - There is room for `count` deliveries, and for `aheadShare` of `count` beyond. So some begin
 *   while others are sent, and no slot is empty meanwhile (decision 170).
 * - A hanging send needs a connection and no work, so it gives its slot to sends that are answered.
 *   If many receivers begin to hang at once, the others wait for `slotHeldMs`. They do not wait for
 *   a time limit (docs/contract.md#fairness).
 * - At most `hangingShare` of `count` hang. Above that, a send has its slot until the answer or the
 *   time limit. Then nothing begins ahead, and all that is ready is sent.
 * - The first in the queue goes first, even if a later one would fit. So none waits forever.
 */
export function createSlots(options: {
  count: number;
  slotHeldMs: number;
  hangingShare: number;
  aheadShare: number;
  clock: Clock;
}): Slots {
  const { count, slotHeldMs, hangingShare, clock } = options;
  const ahead = Math.floor(count * options.aheadShare);
  const waiting: Waiter[] = [];
  /** Each sends a delivery that is ready. */
  const ready: (() => void)[] = [];
  /** Since when each request is under way, the oldest first. */
  const sending = new Map<object, number>();
  const closing = new AbortController();
  let taken = 0;
  let hanging = 0;
  let isWatching = false;

  /** Runs one timer, for the oldest request under way. */
  async function watch(): Promise<void> {
    isWatching = true;
    for (let oldest = first(sending); oldest !== null; oldest = first(sending)) {
      if (mayNotHang()) break;
      const [slot, sinceMs] = oldest;
      const leftMs = sinceMs + slotHeldMs - clock.elapsed();
      if (leftMs > 0) await clock.sleep(leftMs, closing.signal);
      else {
        hanging += 1;
        sending.delete(slot);
        free();
      }
    }
    isWatching = false;
  }

  function mayNotHang(): boolean {
    return hanging >= count * hangingShare || closing.signal.aborted;
  }

  function createSlot(): Slot {
    let isSent = false;
    const slot: Slot = {
      send: () =>
        new Promise((resolve) => {
          ready.push(() => {
            isSent = true;
            sending.set(slot, clock.elapsed());
            if (!isWatching) void watch();
            resolve();
          });
          sendReady();
        }),
      end() {
        if (!isSent || sending.delete(slot)) return free();
        hanging -= 1;
        if (!isWatching) void watch();
        serve();
      },
    };
    return slot;
  }

  function free(): void {
    taken -= 1;
    sendReady();
    serve();
  }

  /** A ready delivery waits for at most `slotHeldMs`, since its lease runs. */
  function sendReady(): void {
    while (ready.length > 0 && (sending.size < count || mayNotHang())) ready.shift()?.();
  }

  function serve(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const most = mayNotHang() ? count : count + ahead;
      if (taken + Math.min(next.howMany, count) > most) return;
      waiting.shift();
      taken += next.howMany;
      next.answer(Array.from({ length: next.howMany }, createSlot));
    }
  }

  return {
    async take(howMany) {
      if (closing.signal.aborted) return null;
      return new Promise((answer) => {
        waiting.push({ howMany, answer });
        serve();
      });
    },
    takeFree(most) {
      if (waiting.length > 0 || closing.signal.aborted) return [];
      const free = Math.max(0, Math.min(most, count) - taken);
      taken += free;
      return Array.from({ length: free }, createSlot);
    },
    taken: () => taken,
    close() {
      closing.abort();
      sendReady();
      for (const { answer } of waiting.splice(0)) answer(null);
    },
  };
}

function first<Key, Value>(map: Map<Key, Value>): [Key, Value] | null {
  for (const entry of map) return entry;
  return null;
}
