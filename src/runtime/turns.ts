/** Lets a few pieces of work run at a time, and shares the places among their owners. */
export type Turns = {
  /**
   * Resolves when the owner's turn has come, with what ends it, which is safe to repeat. Null: too
   * many of that owner wait already.
   */
  begin: (owner: string) => Promise<(() => void) | null>;
};

export type TurnsOptions = {
  /** The places; left out: as many as are asked for. */
  atOnce?: number;
  /** The most places of one owner. */
  ofOwner: number;
  /** The most pieces of work of one owner that wait. */
  mostWaiting: number;
  /** A clock that only grows, in ms. */
  elapsed: () => number;
};

type Known = { running: number; waiting: (() => void)[]; costMs: number };

/**
 * The most that one turn counts for, in ms. Otherwise an owner that has waited for a long one would
 * wait as long again for its next.
 */
const mostCostMs = 1_000;

/**
 * Gives a free place to the owner with fewest, and among equals to the one that has used the least
 * time. An owner's work waits in order. The last free place is for an owner that has none. Nobody
 * saves up: a new owner begins beside the one whose turn came last. An owner without work is
 * forgotten.
 */
export function createTurns(options: TurnsOptions): Turns {
  const { atOnce = Number.POSITIVE_INFINITY, ofOwner, mostWaiting, elapsed } = options;
  /** In the order in which a turn of theirs ended last. It decides between equal costs. */
  const owners = new Map<string, Known>();
  let running = 0;
  let lastCostMs = 0;

  function mayBegin(known: Known): boolean {
    const free = atOnce - running;
    return known.running === 0 ? free > 0 : known.running < ofOwner && free > 1;
  }

  function nextOwner(): Known | null {
    let next: Known | null = null;
    for (const known of owners.values()) {
      if (known.waiting.length === 0 || !mayBegin(known)) continue;
      if (next === null || isBefore(known, next)) next = known;
    }
    return next;
  }

  function beginWaiting(): void {
    for (let next = nextOwner(); next !== null; next = nextOwner()) {
      next.running += 1;
      running += 1;
      lastCostMs = Math.max(lastCostMs, next.costMs);
      next.waiting.shift()?.();
    }
  }

  function leave(owner: string, known: Known, tookMs: number): void {
    known.running -= 1;
    running -= 1;
    known.costMs += Math.min(tookMs, mostCostMs);
    owners.delete(owner);
    if (known.running > 0 || known.waiting.length > 0) owners.set(owner, known);
    beginWaiting();
  }

  return {
    async begin(owner) {
      const known = owners.get(owner) ?? { running: 0, waiting: [], costMs: lastCostMs };
      if (!mayBegin(known) && known.waiting.length >= mostWaiting) return null;
      owners.set(owner, known);
      await new Promise<void>((resolve) => {
        known.waiting.push(resolve);
        beginWaiting();
      });
      const beganMs = elapsed();
      let isOver = false;
      return () => {
        if (!isOver) leave(owner, known, elapsed() - beganMs);
        isOver = true;
      };
    },
  };
}

function isBefore(one: Known, other: Known): boolean {
  return one.running === other.running ? one.costMs < other.costMs : one.running < other.running;
}
