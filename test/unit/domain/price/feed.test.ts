import { expect, test } from "vitest";
import { type FeedReading, isSameFeed, oldestOf } from "../../../../src/domain/price/feed.ts";

const reading = (fields: Partial<FeedReading> = {}): FeedReading => ({
  answer: 200_000n,
  decimals: 2,
  startedAtMs: 1_000,
  updatedAtMs: 2_000,
  ...fields,
});

test.each<[string, Partial<FeedReading>, boolean]>([
  ["the same round", {}, true],
  ["the same round with other decimals", { answer: 2_000_000n, decimals: 3 }, true],
  ["the same round with another answer", { answer: 200_001n }, false],
  ["another round with the same answer", { updatedAtMs: 9_000 }, true],
  ["another round, 2 % up", { updatedAtMs: 9_000, answer: 204_000n }, true],
  ["another round, more than 2 % up", { updatedAtMs: 9_000, answer: 204_001n }, false],
  ["another round, more than 2 % down", { updatedAtMs: 9_000, answer: 196_000n }, false],
  ["another round with nothing", { updatedAtMs: 9_000, answer: 0n }, false],
  ["another round, negative", { updatedAtMs: 9_000, answer: -200_000n }, false],
])("%s", (_title, fields, expected) => {
  expect(isSameFeed(reading(), reading(fields))).toBe(expected);
  expect(isSameFeed(reading(fields), reading())).toBe(expected);
});

test("the state of a sequencer is the same or it is not", () => {
  const state = (answer: bigint) => reading({ answer, decimals: 0, updatedAtMs: Number(answer) });
  expect(isSameFeed(state(0n), state(1n))).toBe(false);
});

test("no host makes a round younger than another one says it is", () => {
  const older = reading({ updatedAtMs: 1_500, startedAtMs: 1_200 });
  expect(oldestOf(reading(), [older])).toEqual(reading({ updatedAtMs: 1_500, startedAtMs: 1_200 }));
});
