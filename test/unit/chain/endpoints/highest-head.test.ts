import { expect, test } from "vitest";
import { highestHead } from "../../../../src/chain/endpoints/highest-head.ts";
import type { ChainHead } from "../../../../src/domain/chain/chain-status.ts";
import { lagOf } from "../../../../src/ledger/chain/lag.ts";

const now = 1_800_000_000_000;
const blockMs = 12_000;
const position = { number: 191n, timeMs: now - 600_000 };

/** A head as an endpoint named it this long ago. */
const named = (number: bigint, agoMs: number): { lastHead: ChainHead } => {
  const timeMs = position.timeMs + Number(number - position.number) * blockMs;
  return { lastHead: { number, timeMs, seenMs: now - agoMs } };
};

test.each<[string, Parameters<typeof highestHead>[0], number]>([
  ["one is there, and another is a block behind", [named(191n, 50_000), named(190n, 0)], 0],
  ["one has fallen silent, and another is there", [named(191n, 400_000), named(191n, 1_000)], 0],
  ["one has fallen silent, and another is below", [named(191n, 400_000), named(150n, 1_000)], 400],
  [
    "one has fallen silent above, and another is below",
    [named(192n, 400_000), named(150n, 0)],
    412,
  ],
  ["both are below", [named(190n, 0), named(150n, 1_000)], 600],
  ["none has named a head", [{ lastHead: null }, { lastHead: null }], 600],
])("where of two endpoints %s, the lag says so", (_, endpoints, lagSeconds) => {
  const heads = { named: highestHead(endpoints), known: 191n };
  expect(lagOf(position, heads, now).lagSeconds).toBe(lagSeconds);
});
