import { expect, test } from "vitest";
import type { Clock } from "../../../src/runtime/clock.ts";
import { sleepToTick } from "../../../src/runtime/ticks.ts";

/** A clock that stands still, and whose sleeps end by hand. */
function createHeldClock() {
  const sleeps: { ms: number; signal: AbortSignal; end: () => void }[] = [];
  let elapsedMs = 0;
  const clock: Clock = {
    now: () => elapsedMs,
    elapsed: () => elapsedMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeps.push({ ms, signal, end: resolve });
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const standAt = (ms: number) => {
    elapsedMs = ms;
  };
  return { clock, sleeps, standAt };
}

const never = new AbortController().signal;

test("waits end at the last tick within their time, and never later", () => {
  const { clock, sleeps, standAt } = createHeldClock();
  for (const [atMs, ms] of [
    [3_000, 1_000],
    [4_003, 1_000],
    [5_400, 1_500],
    [7_700, 5_000],
  ] as const) {
    standAt(atMs);
    void sleepToTick(clock, ms, never);
  }
  expect(sleeps.map(({ ms }) => ms)).toEqual([1_000, 997, 600, 4_300]);
});

test("a timer that was a little early means the tick that it was set for", () => {
  const { clock, sleeps, standAt } = createHeldClock();
  standAt(2_999);
  void sleepToTick(clock, 1_000, never);
  expect(sleeps.map(({ ms }) => ms)).toEqual([1_001]);
});

test("all who wait for one tick share a timer, and go on in one turn", async () => {
  const { clock, sleeps, standAt } = createHeldClock();
  const order: string[] = [];
  const wait = (name: string, ms: number) =>
    sleepToTick(clock, ms, never).then(() => order.push(name));
  standAt(1_004);
  const first = wait("a", 2_000);
  standAt(2_300);
  const second = wait("b", 1_000);
  expect(sleeps).toHaveLength(1);
  const turn = first.then(() => new Promise((resolve) => setImmediate(resolve)));
  sleeps[0]?.end();
  await turn;
  expect(order).toEqual(["a", "b"]);
  await second;
});

test("whoever is interrupted goes on at once, and the last one ends the timer", async () => {
  const { clock, sleeps } = createHeldClock();
  const [a, b] = [new AbortController(), new AbortController()];
  const waits = [sleepToTick(clock, 1_000, a.signal), sleepToTick(clock, 1_000, b.signal)];
  a.abort();
  await waits[0];
  expect(sleeps[0]?.signal.aborted).toBe(false);
  b.abort();
  await waits[1];
  expect(sleeps[0]?.signal.aborted).toBe(true);
  void sleepToTick(clock, 1_000, never);
  expect(sleeps).toHaveLength(2);
});
