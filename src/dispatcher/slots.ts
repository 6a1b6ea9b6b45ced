import type { Clock } from "../runtime/clock.ts";

/** A slot that one send has. Each method is called once, `send` first; `end` may stand alone. */
export type Slot = {
  /** The request goes out now: from here on it may turn out to hang. */
  send: () => void;
  /** It was answered, or nothing is sent. */
  end: () => void;
};

export type Slots = {
  /**
   * Takes so many slots at once, in the order of asking; more than there are count as all of them.
   * Resolves with null after `close`: nothing may be sent then.
   */
  take: (howMany: number) => Promise<Slot[] | null>;
  /**
   * Takes the slots that are free now, while no more than `most` are taken by anybody. None where
   * somebody waits for slots, and none after `close`.
   */
  takeFree: (most: number) => Slot[];
  /** The number of slots that are taken. */
  taken: () => number;
  /** Answers null to every caller that waits or asks from now on. Safe to repeat. */
  close: () => void;
};

type Waiter = { howMany: number; answer: (slots: Slot[] | null) => void };

/**
 * `count` slots for sends that are under way at once, and one queue for them:
 *
 *     waits ── enough slots are free ──> taken ── send() ── end() ─────────────> over
 *       └── close() ──> none                        └── not over for `slotHeldMs`
 *                                                         └──> hanging, without a slot
 *                                                                └── end() ──> over
 *
 * - A hanging send costs a connection and no work, so it keeps no slot from sends that are
 *   answered. However many receivers begin to hang at once, the others wait for `slotHeldMs` and
 *   not for a time limit (docs/contract.md#fairness).
 * - At most `hangingShare` of `count` hang. Beyond that a send holds its slot until the answer or
 *   the time limit.
 * - The first of the queue goes first, also where a later one would fit. So none waits for ever.
 */
export function createSlots(options: {
  count: number;
  slotHeldMs: number;
  hangingShare: number;
  clock: Clock;
}): Slots {
  const { count, slotHeldMs, hangingShare, clock } = options;
  const waiting: Waiter[] = [];
  /** Since when each request is under way, in the order in which they went out. */
  const sending = new Map<object, number>();
  const closing = new AbortController();
  let taken = 0;
  let hanging = 0;
  let isWatching = false;

  /** One timer, for the request that went out longest ago. */
  async function watch(): Promise<void> {
    isWatching = true;
    for (let oldest = first(sending); oldest !== null; oldest = first(sending)) {
      if (hanging >= count * hangingShare || closing.signal.aborted) break;
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

  function createSlot(): Slot {
    let isSent = false;
    const slot: Slot = {
      send() {
        isSent = true;
        sending.set(slot, clock.elapsed());
        if (!isWatching) void watch();
      },
      end() {
        if (!isSent || sending.delete(slot)) return free();
        hanging -= 1;
        if (!isWatching) void watch();
      },
    };
    return slot;
  }

  function free(): void {
    taken -= 1;
    serve();
  }

  function serve(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (taken + Math.min(next.howMany, count) > count) return;
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
      for (const { answer } of waiting.splice(0)) answer(null);
    },
  };
}

function first<Key, Value>(map: Map<Key, Value>): [Key, Value] | null {
  for (const entry of map) return entry;
  return null;
}
