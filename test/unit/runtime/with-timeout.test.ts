import { expect, test } from "vitest";
import type { Clock } from "../../../src/runtime/clock.ts";
import { withTimeout } from "../../../src/runtime/with-timeout.ts";

/** A clock whose sleeps end when the test says so, and that knows which of them were given up. */
function createHeldClock() {
  let pass = () => {};
  let isGivenUp = false;
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        pass = resolve;
        signal.addEventListener("abort", () => {
          isGivenUp = true;
          resolve();
        });
      }),
  };
  return { clock, pass: () => pass(), isGivenUp: () => isGivenUp };
}

const never = new Promise<never>(() => {});

test("work that ends in time gives its value, and the timer is given up", async () => {
  const { clock, isGivenUp } = createHeldClock();
  const timed = await withTimeout(Promise.resolve(7), { timeoutMs: 10, clock });
  expect(timed).toEqual({ kind: "done", value: 7 });
  expect(isGivenUp()).toBe(true);
});

test("work that does not end in time is late", async () => {
  const { clock, pass } = createHeldClock();
  const timed = withTimeout(never, { timeoutMs: 10, clock });
  pass();
  expect(await timed).toEqual({ kind: "late" });
});

test("what the work throws in time is thrown, and the timer is given up", async () => {
  const { clock, isGivenUp } = createHeldClock();
  const failing = Promise.reject(new Error("refused"));
  await expect(withTimeout(failing, { timeoutMs: 10, clock })).rejects.toThrow("refused");
  expect(isGivenUp()).toBe(true);
});

test("what the work throws too late is ignored", async () => {
  const { clock, pass } = createHeldClock();
  let fail = (_: Error) => {};
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const timed = withTimeout(work, { timeoutMs: 10, clock });
  pass();
  expect(await timed).toEqual({ kind: "late" });
  // An unhandled rejection would fail the run.
  fail(new Error("too late"));
  await new Promise(setImmediate);
});
