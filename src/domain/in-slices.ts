import { setImmediate, setTimeout } from "node:timers/promises";

/** Work on a long list that pauses now and then, and continues on request. */
export type Sliced<Result> = Generator<void, Result, void>;

/** Work on a long list pauses after this many items, if one takes some µs. */
export const sliceItems = 25;

/**
 * Long work may block the event loop for this many ms. A request may wait that long at each of its
 * steps.
 */
const turnMs = 0.1;

let lastTurn: Promise<void> = Promise.resolve();
let turnEndsAtMs = 0;

/**
 * Resolves in a turn of the event loop of the caller's own, after all other waiting work. Callers
 * get their turns in the order of their calls.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate()).then(beginTurn);
  return lastTurn;
}

function beginTurn(): void {
  turnEndsAtMs = performance.now() + turnMs;
}

/** True if long work has blocked the event loop for as long as it may. Then await `nextTurn`. */
export function isTurnOver(): boolean {
  return performance.now() >= turnEndsAtMs;
}

/**
 * Does the work to its end. At a pause of the work, other tasks of the process run if the turn is
 * over. Rejects with what the work throws.
 */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (isTurnOver()) await nextTurn();
  }
}

/** Does the work without pauses, for callers that cannot wait. Throws what the work throws. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Calls `one` with each item, in order. A list of one slice has no pause. */
export function* mapSliced<Item, Result>(
  items: readonly Item[],
  one: (item: Item, index: number) => Result,
): Sliced<Result[]> {
  const made: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % sliceItems === 0) yield;
    made.push(one(item, index));
  }
  return made;
}

/** A timer waits for at least 1 ms, so rests are saved up to this many ms. */
const leastRestMs = 2;

/**
 * Halves the speed of long work, so that other tasks of the process run undisturbed for half of the
 * time. Turns of the event loop alone do not do that: every request waits at each of its steps.
 */
export class HalfPace {
  #owedMs = 0;

  /**
   * Rests for as long as the work took, now or together with later work. Time in which other tasks
   * delayed the work counts too, so a busy process gets longer rests.
   * @param workedMs since the last rest
   */
  async rest(workedMs: number): Promise<void> {
    this.#owedMs += workedMs;
    if (this.#owedMs < leastRestMs) return;
    const restedMs = this.#owedMs;
    this.#owedMs = 0;
    await setTimeout(restedMs);
  }
}
