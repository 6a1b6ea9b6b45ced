import { expect, it } from "vitest";
import { createHeadPace } from "../../../../src/chain/endpoints/head-pace.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const hash = `0x${"b".repeat(64)}` as const;

function paceAt() {
  const now = { ms: 1_000_000 };
  const pace = createHeadPace({ ...systemClock, elapsed: () => now.ms });
  /** A head of that height and time, seen now. */
  const see = (number: number, timeMs: number) =>
    pace.note({ number: BigInt(number), timeMs, hash, parentHash: hash });
  return { now, pace, see };
}

it("the next head is due a little before the time that the last ones were apart", () => {
  const { now, pace, see } = paceAt();
  see(100, 0);
  expect(pace.dueInMs()).toBe(0);
  see(103, 36_000);
  expect(pace.dueInMs()).toBe(0);
  see(104, 48_000);
  expect(pace.dueInMs()).toBe(11_250);
  now.ms += 11_000;
  expect(pace.dueInMs()).toBe(250);
  // The same head once more is no news.
  see(104, 48_000);
  expect(pace.dueInMs()).toBe(250);
  now.ms += 1_000;
  expect(pace.dueInMs()).toBe(0);
});

it("a chain that becomes faster is asked sooner, and one that goes back begins anew", () => {
  const { pace, see } = paceAt();
  see(0, 0);
  see(100, 1_200_000);
  see(164, 1_200_000 + 64 * 1_000);
  see(228, 1_200_000 + 128 * 1_000);
  expect(pace.dueInMs()).toBe(937);
  see(227, 1_200_000 + 127 * 1_000);
  expect(pace.dueInMs()).toBe(0);
});

it("a head with a false time is not waited for longer than a minute", () => {
  const { now, pace, see } = paceAt();
  see(100, 0);
  see(104, 48_000);
  see(105, 1e15);
  expect(pace.dueInMs()).toBe(60_000);
  now.ms += 60_000;
  expect(pace.dueInMs()).toBe(0);
});
