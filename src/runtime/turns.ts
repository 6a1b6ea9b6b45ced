/** Lets a few pieces of work run at a time, and shares the places among their owners. */
export type Turns = {
  /**
   * Resolves when the owner's turn has come, with what ends it, which is safe to repeat. Null: too
   * many of that owner wait already.
   * @param pace the time that the owner's turns may take; null: any
   */
  begin: (owner: string, pace: Pace | null) => Promise<(() => void) | null>;
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

/**
 * `share`: ms of turns for each ms of the clock. `burstMs`: the time that an owner may take at once
 * after a pause. A turn goes on beyond it, and its owner rests afterwards.
 */
export type Pace = { share: number; burstMs: number };

type Known = {
  running: number;
  waiting: (() => void)[];
  costMs: number;
  pace: Pace | null;
};

/**
 * The most that one turn counts for, and the most that is owed, in ms. Otherwise an owner that has
 * waited for a long one, as for a database that hung, would wait as long again for its next.
 */
const mostCostMs = 1_000;

/**
 * Gives a free place to the owner with fewest, and among equals to the one that has used the least
 * time. An owner's work waits in order. The last free place is for an owner that has none. Nobody
 * saves up: a new owner begins beside the one whose turn came last. An owner that has used up its
 * pace waits, and takes no place meanwhile. An owner without work is forgotten.
 */
export function createTurns(options: TurnsOptions): Turns {
  const { atOnce = Number.POSITIVE_INFINITY, ofOwner, mostWaiting, elapsed } = options;
  const paces = createPaces(elapsed);
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
    for (const [owner, known] of owners) {
      if (known.waiting.length === 0 || !mayBegin(known)) continue;
      if (next !== null && !isBefore(known, next)) continue;
      if (paces.mayBegin({ owner, pace: known.pace }, beginWaiting)) next = known;
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
    paces.note({ owner, pace: known.pace }, tookMs);
    owners.delete(owner);
    if (known.running > 0 || known.waiting.length > 0) owners.set(owner, known);
    beginWaiting();
  }

  return {
    async begin(owner, pace) {
      const known = owners.get(owner) ?? { running: 0, waiting: [], costMs: lastCostMs, pace };
      if (known.waiting.length >= mostWaiting) return null;
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

type Paces = {
  /** False: not yet. Then `again` is called, once for several questions, when it is time. */
  mayBegin: (paced: Paced, again: () => void) => boolean;
  note: (paced: Paced, tookMs: number) => void;
};

type Paced = { owner: string; pace: Pace | null };

/** The owners that are remembered before those that owe nothing are forgotten. */
const knownPaces = 1_000;

/** Counts as the generic cell rate algorithm does: an owner is known by when it owes nothing. */
function createPaces(elapsed: () => number): Paces {
  const settledAtMs = new Map<string, number>();
  const asked = new Set<string>();
  return {
    mayBegin({ owner, pace }, again) {
      if (pace === null) return true;
      const waitMs = (settledAtMs.get(owner) ?? 0) - elapsed() - pace.burstMs / pace.share;
      if (waitMs <= 0) return true;
      if (asked.has(owner)) return false;
      asked.add(owner);
      setTimeout(() => {
        asked.delete(owner);
        again();
      }, Math.ceil(waitMs)).unref();
      return false;
    },
    note({ owner, pace }, tookMs) {
      if (pace === null) return;
      const nowMs = elapsed();
      const from = Math.max(settledAtMs.get(owner) ?? 0, nowMs);
      const most = nowMs + (pace.burstMs + mostCostMs) / pace.share;
      settledAtMs.set(owner, Math.min(from + tookMs / pace.share, most));
      if (settledAtMs.size <= knownPaces) return;
      for (const [name, atMs] of settledAtMs) if (atMs <= nowMs) settledAtMs.delete(name);
    },
  };
}

function isBefore(one: Known, other: Known): boolean {
  return one.running === other.running ? one.costMs < other.costMs : one.running < other.running;
}
