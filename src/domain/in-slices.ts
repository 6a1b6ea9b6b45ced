import { setImmediate } from "node:timers/promises";

/** Work on a long list that stops now and then, and goes on when it is asked to. */
export type Sliced<Result> = Generator<void, Result, void>;

/** Items after which work on a long list stops, where one takes some µs. */
export const sliceItems = 25;

/**
 * The time of long work in one turn of the event loop, in ms. A request waits at each of its steps
 * for the end of such a turn.
 */
const turnMs = 0.1;

let lastTurn: Promise<void> = Promise.resolve();
let turnEndsAtMs = 0;

/**
 * Resolves in a turn of the event loop that nobody else who asked has: whatever else the process
 * has to do comes before it. Turns are given in the order in which they were asked for.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate()).then(beginTurn);
  return lastTurn;
}

function beginTurn(): void {
  turnEndsAtMs = performance.now() + turnMs;
}

/** True once long work has held the event loop for as long as it may: `nextTurn` comes then. */
export function isTurnOver(): boolean {
  return performance.now() >= turnEndsAtMs;
}

/**
 * Does the work to its end. Where it stops and its turn is over, whatever else the process has to
 * do gets its turn, so that long work holds nobody up. Rejects with what the work throws.
 */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (isTurnOver()) await nextTurn();
  }
}

/** Does the work in one go, for whoever cannot wait. Throws what the work throws. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Calls `one` with each item, in their order. A list of one slice is handled in one go. */
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
