import { setImmediate } from "node:timers/promises";

/** Work on a long list that stops after each slice, and goes on when it is asked to. */
export type Sliced<Result> = Generator<void, Result, void>;

/** Items of one slice, where one takes some µs. */
export const sliceItems = 250;

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that nobody else who asked has: whatever else the process
 * has to do comes before it. Turns are given in the order in which they were asked for.
 */
export function nextTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/**
 * Does the work to its end. After each slice whatever else the process has to do gets its turn, so
 * that long work holds nobody up. Rejects with what the work throws.
 */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
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
