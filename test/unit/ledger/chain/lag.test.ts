import { expect, test } from "vitest";
import { lagOf } from "../../../../src/ledger/chain/lag.ts";

const now = 1_800_000_000_000;
const position = { number: 191n, timeMs: now - 600_000 };
const seenNow = { seenMs: now - 1_000 };

test("the lag is up to the head that endpoints name now, by the times of the blocks", () => {
  const named = { number: 257n, timeMs: now - 12_000, ...seenNow };
  expect(lagOf(position, { named, known: 191n }, now)).toEqual({
    head: 257n,
    lagBlocks: 66n,
    lagSeconds: 588,
  });
});

test("a position at the head has no lag, however old the block is", () => {
  const named = { number: 191n, timeMs: position.timeMs, ...seenNow };
  const at = { head: 191n, lagBlocks: 0n, lagSeconds: 0 };
  expect(lagOf(position, { named, known: 190n }, now)).toEqual(at);
});

test("a head that was named before the last commit is not below the position", () => {
  const fresh = { number: 191n, timeMs: now - 2_000 };
  const named = { number: 189n, timeMs: now - 26_000, ...seenNow };
  const at = { head: 191n, lagBlocks: 0n, lagSeconds: 0 };
  expect(lagOf(fresh, { named, known: 189n }, now)).toEqual(at);
});

test.each([
  [61_000, 61],
  [60_000, 0],
])(
  "a head that is named %i ms after the position's block, and is below it, shows a lag of %i s",
  (sinceMs, lagSeconds) => {
    const named = { number: 189n, timeMs: now - 700_000, seenMs: position.timeMs + sinceMs };
    const lag = lagOf(position, { named, known: 191n }, named.seenMs);
    expect(lag).toEqual({ head: 191n, lagBlocks: 0n, lagSeconds });
  },
);

test("what no endpoint has said for more than a minute is lag, since nobody knows", () => {
  const named = { number: 193n, timeMs: position.timeMs + 24_000, seenMs: now - 90_000 };
  const lag = { head: 193n, lagBlocks: 2n, lagSeconds: 24 + 90 };
  expect(lagOf(position, { named, known: 191n }, now)).toEqual(lag);
});

test("where no endpoint has named a head yet, the lag is the age of the position's block", () => {
  const heads = { named: null, known: 191n };
  expect(lagOf(position, heads, now)).toEqual({ head: 191n, lagBlocks: 0n, lagSeconds: 600 });
});

test("a chain without a position has no lag that is known", () => {
  const named = { number: 5n, timeMs: now, ...seenNow };
  const unknown = { head: 5n, lagBlocks: null, lagSeconds: null };
  expect(lagOf(null, { named, known: null }, now)).toEqual(unknown);
});
