/** Lets a few pieces of work run at a time, and shares the places among their owners. */
export type Turns = {
  begin: (owner: string, asked: AskedTurn) => Promise<BegunTurn>;
};

export type AskedTurn = {
  /** Limits the time of the owner's turns. Left out: no limit. */
  pace?: Pace;
  /** Among the owner's waiting turns, the one with the lowest place begins first. */
  place: number;
  /** Aborted if the turn is not needed any more. A turn that has begun is not interrupted. */
  signal?: AbortSignal;
};

/**
 * `begun`: the turn has come; call `end` after it, which is safe to repeat. `refused`: too many
 * turns of that owner wait, and the others have lower places. `left`: the signal was aborted.
 */
type BegunTurn = { kind: "begun"; end: () => void } | { kind: "refused" } | { kind: "left" };

export type TurnsOptions = {
  /** The number of places. Left out: no limit. */
  atOnce?: number;
  /** The most places that one owner may have. */
  ofOwner: number;
  /** The most turns of one owner that may wait. */
  mostWaiting: number;
  /** The steady clock, in ms. */
  elapsed: () => number;
};

/**
 * `share`: how many ms of turns an owner may use for each ms of the clock. `burstMs`: how much time
 * it may use at once after a pause. A turn that takes longer is not interrupted; its owner waits
 * afterwards.
 */
export type Pace = { share: number; burstMs: number };

type Known = {
  running: number;
  /** In the order of their places. */
  waiting: Waiting[];
  costMs: number;
  pace: Pace | undefined;
  /** It has used up its pace since it was last without work. */
  isPressing: boolean;
};

type Waiting = { place: number; go: (as: BegunTurn["kind"]) => void };

/**
 * The most that one turn counts for, and the most that an owner can owe, in ms. Otherwise an owner
 * whose turn took long, for example because the database hung, would wait as long again.
 */
const mostCostMs = 1_000;

/**
 * Gives a free place to the owner with the fewest places. Among equals, the one that has used the
 * least time goes first. An owner's turns begin in the order that it asked for. The last free place
 * is for an owner without any. Nobody saves time up: a new owner starts with the used time of the
 * owner whose turn came last. An owner that has used up its pace waits, and takes no place. All
 * owners that press on after that have together the pace of one, until they are without work. An
 * owner without work is dropped.
 */
export function createTurns(options: TurnsOptions): Turns {
  const { atOnce = Number.POSITIVE_INFINITY, ofOwner, mostWaiting, elapsed } = options;
  const paces = createPaces(elapsed);
  /** In the order in which a turn of each last ended. This order decides between equal costs. */
  const owners = new Map<string, Known>();
  let running = 0;
  let lastCostMs = 0;

  const newcomer = (pace: Pace | undefined): Known => ({
    running: 0,
    waiting: [],
    costMs: lastCostMs,
    pace,
    isPressing: false,
  });

  function mayBegin(known: Known): boolean {
    const free = atOnce - running;
    return known.running === 0 ? free > 0 : known.running < ofOwner && free > 1;
  }

  function nextOwner(): Known | null {
    let next: Known | null = null;
    for (const [owner, known] of owners) {
      if (known.waiting.length === 0 || !mayBegin(known)) continue;
      if (next !== null && !isBefore(known, next)) continue;
      if (paces.mayBegin({ owner, known }, beginWaiting)) next = known;
    }
    return next;
  }

  function beginWaiting(): void {
    for (let next = nextOwner(); next !== null; next = nextOwner()) {
      next.running += 1;
      running += 1;
      lastCostMs = Math.max(lastCostMs, next.costMs);
      next.waiting.shift()?.go("begun");
    }
  }

  function leave(owner: string, known: Known, tookMs: number): void {
    known.running -= 1;
    running -= 1;
    known.costMs += Math.min(tookMs, mostCostMs);
    paces.note({ owner, known }, tookMs);
    owners.delete(owner);
    if (known.running > 0 || known.waiting.length > 0) owners.set(owner, known);
    beginWaiting();
  }

  /**
   * Waits at its place. If too many wait, the last of them is refused, which may be another turn.
   */
  function wait(owner: string, known: Known, asked: AskedTurn): Promise<BegunTurn["kind"]> {
    const { place, signal } = asked;
    const { waiting } = known;
    return new Promise((resolve) => {
      const onAbort = () => {
        waiting.splice(waiting.indexOf(one), 1);
        if (known.running === 0 && waiting.length === 0) owners.delete(owner);
        one.go("left");
      };
      const one: Waiting = {
        place,
        go(as) {
          signal?.removeEventListener("abort", onAbort);
          resolve(as);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const last = waiting.findLastIndex((other) => other.place <= place);
      waiting.splice(last + 1, 0, one);
      beginWaiting();
      if (waiting.length > mostWaiting) waiting.pop()?.go("refused");
    });
  }

  return {
    async begin(owner, asked) {
      if (asked.signal?.aborted === true) return { kind: "left" };
      const { pace } = asked;
      const known = owners.get(owner) ?? newcomer(pace);
      owners.set(owner, known);
      const kind = await wait(owner, known, asked);
      if (kind !== "begun") return { kind };
      const beganMs = elapsed();
      let isOver = false;
      const end = () => {
        if (!isOver) leave(owner, known, elapsed() - beganMs);
        isOver = true;
      };
      return { kind, end };
    },
  };
}

type Paces = {
  /** False: not yet. Then `again` is called when it is time, once for several calls. */
  mayBegin: (paced: Paced, again: () => void) => boolean;
  note: (paced: Paced, tookMs: number) => void;
};

type Paced = { owner: string; known: Pick<Known, "pace" | "isPressing"> };

/** Above this number of owners, those that owe nothing are dropped. */
const knownPaces = 1_000;

/** Stands for all owners that press, beside the names of owners. */
const allPressing = "";

/**
 * Counts by the generic cell rate algorithm: for each owner, it stores when the owner will owe
 * nothing. Sets `isPressing` of an owner that has used up its pace.
 */
function createPaces(elapsed: () => number): Paces {
  const settledAtMs = new Map<string, number>();
  const asked = new Set<string>();

  function isSettled(name: string, mayOweMs: number, again: () => void): boolean {
    const waitMs = (settledAtMs.get(name) ?? 0) - elapsed() - mayOweMs;
    if (waitMs <= 0) return true;
    if (asked.has(name)) return false;
    asked.add(name);
    setTimeout(() => {
      asked.delete(name);
      again();
    }, Math.ceil(waitMs)).unref();
    return false;
  }

  function owe(name: string, tookMs: number, { share, burstMs }: Pace): void {
    const nowMs = elapsed();
    const from = Math.max(settledAtMs.get(name) ?? 0, nowMs);
    const most = nowMs + (burstMs + mostCostMs) / share;
    settledAtMs.set(name, Math.min(from + tookMs / share, most));
  }

  return {
    mayBegin({ owner, known }, again) {
      const { pace } = known;
      if (pace === undefined) return true;
      if (!isSettled(owner, pace.burstMs / pace.share, again)) {
        known.isPressing = true;
        return false;
      }
      return !known.isPressing || isSettled(allPressing, 0, again);
    },
    note({ owner, known }, tookMs) {
      const { pace, isPressing } = known;
      if (pace === undefined) return;
      owe(owner, tookMs, pace);
      if (isPressing) owe(allPressing, tookMs, pace);
      if (settledAtMs.size <= knownPaces) return;
      for (const [name, atMs] of settledAtMs) if (atMs <= elapsed()) settledAtMs.delete(name);
    },
  };
}

function isBefore(one: Known, other: Known): boolean {
  return one.running === other.running ? one.costMs < other.costMs : one.running < other.running;
}
