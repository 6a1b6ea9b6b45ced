import { expect, test } from "vitest";
import { judgeFeed, judgeSequencer } from "../../../src/price/judge-feed.ts";

const nowMs = Date.UTC(2026, 0, 2);
const hourMs = 3_600_000;
const reading = (fields: object = {}) => ({
  answer: 250_012_000_000n,
  decimals: 8,
  startedAtMs: nowMs - 60_000,
  updatedAtMs: nowMs - 60_000,
  ...fields,
});

test("an answer is a price for its own heartbeat and two minutes more", () => {
  expect(judgeFeed(reading(), hourMs, nowMs)).toEqual({
    kind: "price",
    usd: "2500.12",
    asOfMs: nowMs - 60_000,
    freshUntilMs: nowMs - 60_000 + hourMs + 120_000,
  });
  expect(judgeFeed(reading({ updatedAtMs: nowMs - hourMs - 60_000 }), hourMs, nowMs).kind).toBe(
    "price",
  );
});

test.each([
  ["zero", { answer: 0n }],
  ["negative", { answer: -1n }],
  ["older than its heartbeat", { updatedAtMs: nowMs - hourMs - 121_000 }],
  ["of the future", { updatedAtMs: nowMs + hourMs }],
])("an answer that is %s is refused", (_title, fields) => {
  expect(judgeFeed(reading(fields), hourMs, nowMs).kind).toBe("refused");
});

test("a heartbeat belongs to one feed: what is fresh for a day is stale for an hour", () => {
  const old = reading({ updatedAtMs: nowMs - 5 * hourMs });
  expect(judgeFeed(old, 24 * hourMs, nowMs).kind).toBe("price");
  expect(judgeFeed(old, hourMs, nowMs).kind).toBe("refused");
});

test("while an L2's sequencer is down, and for an hour after, its feeds are not used", () => {
  const since = (ms: number) => ({ startedAtMs: nowMs - ms });
  expect(judgeSequencer(reading({ answer: 0n, ...since(2 * hourMs) }), nowMs)).toBeNull();
  expect(judgeSequencer(reading({ answer: 1n, ...since(2 * hourMs) }), nowMs)).toContain("down");
  expect(judgeSequencer(reading({ answer: 0n, ...since(hourMs / 2) }), nowMs)).toContain("hour");
});

test("a sequencer's feed that has not begun says nothing", () => {
  expect(judgeSequencer(reading({ answer: 0n, startedAtMs: 0 }), nowMs)).toContain("not begun");
});
