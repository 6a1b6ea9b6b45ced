import { expect, test } from "vitest";
import { HalfPace } from "../../../src/domain/in-slices.ts";

/** Counts the turns of the event loop until `done`. */
async function turnsDuring(done: Promise<void>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    if (isDone) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await done;
  isDone = true;
  return turns;
}

test("a rest leaves the event loop to other tasks", async () => {
  expect(await turnsDuring(new HalfPace().rest(5))).toBeGreaterThan(0);
});

test("short rests are saved up until a timer can keep them", async () => {
  const pace = new HalfPace();
  expect(await turnsDuring(pace.rest(1.5))).toBe(0);
  expect(await turnsDuring(pace.rest(1.5))).toBeGreaterThan(0);
  expect(await turnsDuring(pace.rest(1.5))).toBe(0);
});
