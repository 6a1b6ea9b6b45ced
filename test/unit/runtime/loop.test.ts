import { expect, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLoop, type StepResult } from "../../../src/runtime/loop.ts";
import { waitFor, waitForCount } from "../../support/wait-for.ts";

const hourMs = 3_600_000;

/** A loop whose steps wait until they are let go, and that would idle for an hour. */
function createHeldLoop() {
  const begun: (() => void)[] = [];
  const step = () =>
    new Promise<StepResult>((resolve) => {
      begun.push(() => resolve("idle"));
      onBegin();
    });
  let onBegin = () => {};
  const nextBegins = () =>
    new Promise<void>((resolve) => {
      onBegin = resolve;
    });
  const loop = createLoop({
    name: "held",
    step,
    onError: () => {},
    clock: systemClock,
    pollMs: hourMs,
    maxBackoffMs: hourMs,
    stuckAfterMs: hourMs,
  });
  const letGo = () => begun.at(-1)?.();
  const stop = async () => {
    const stopped = loop.stop();
    letGo();
    await stopped;
  };
  return { loop, nextBegins, letGo, stop, steps: () => begun.length };
}

test("a loop that is stopped during a step ends with that step", async () => {
  const { loop, nextBegins, stop, steps } = createHeldLoop();
  const began = nextBegins();
  await loop.start();
  await began;
  await stop();
  expect(steps()).toBe(1);
});

test("a wake during a step is followed by another step", async () => {
  const { loop, nextBegins, letGo, stop, steps } = createHeldLoop();
  const first = nextBegins();
  await loop.start();
  await first;
  loop.wake();
  const second = nextBegins();
  letGo();
  await second;
  await stop();
  expect(steps()).toBe(2);
});

test("a loop that rests for longer than a step may take is healthy", async () => {
  const waits: (() => void)[] = [];
  let nowMs = 0;
  const clock = {
    ...systemClock,
    elapsed: () => nowMs,
    sleep: () => new Promise<void>((resolve) => waits.push(resolve)),
  };
  let isStuck = false;
  const loop = createLoop({
    name: "resting",
    step: () => (isStuck ? new Promise<StepResult>(() => {}) : Promise.resolve({ idleMs: 900 })),
    onError: () => {},
    clock,
    pollMs: 100,
    maxBackoffMs: 100,
    stuckAfterMs: 200,
  });
  await loop.start();
  await waitForCount(() => waits.length, 1, { what: "the rest", timeoutMs: 20_000 });
  nowMs = 899;
  expect(loop.trouble()).toBeNull();
  isStuck = true;
  waits[0]?.();
  await waitFor(() => loop.trouble() === null, { what: "the second step", timeoutMs: 20_000 });
  nowMs = 1_200;
  expect(loop.trouble()).toMatchObject({ causes: [{ code: "no_step" }] });
});

test("a loop that has never ended a step is unhealthy until one ends", async () => {
  const { loop, nextBegins, letGo, stop } = createHeldLoop();
  const first = nextBegins();
  await loop.start();
  await first;
  expect(loop.trouble()).toMatchObject({ causes: [{ code: "no_step" }] });
  loop.wake();
  const second = nextBegins();
  letGo();
  await second;
  expect(loop.trouble()).toBeNull();
  await stop();
});

test("a loop without a limit is never in trouble, not even before its first step has ended", async () => {
  let failures = 0;
  const loop = createLoop({
    name: "failing",
    step: () => Promise.reject(new Error("It fails.")),
    onError: () => {
      failures += 1;
    },
    clock: { ...systemClock, elapsed: () => failures * hourMs },
    pollMs: 1,
    maxBackoffMs: 1,
    stuckAfterMs: null,
  });
  expect(loop.trouble()).toBeNull();
  await loop.start();
  await waitFor(() => failures >= 2, { what: "the second failure", timeoutMs: 20_000 });
  expect(loop.trouble()).toBeNull();
  await loop.stop();
});
