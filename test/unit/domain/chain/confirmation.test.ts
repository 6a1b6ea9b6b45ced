import { expect, test } from "vitest";
import {
  confirmedHeight,
  heldThings,
  isOfThePast,
} from "../../../../src/domain/chain/confirmation.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";

test.each([
  [1, 100n, 100n],
  [2, 100n, 99n],
  [12, 100n, 89n],
  [100, 50n, -49n],
])("a depth of %s counts the block itself as the first confirmation", (depth, position, height) => {
  expect(confirmedHeight(position, { kind: "depth", depth }, null)).toBe(height);
});

test("a tag confirms up to its block, never above the position, and nothing where there is none", () => {
  const policy = { kind: "tag", tag: "finalized" } as const;
  expect(confirmedHeight(100n, policy, 90n)).toBe(90n);
  expect(confirmedHeight(100n, policy, 110n)).toBe(100n);
  expect(confirmedHeight(100n, policy, null)).toBe(-1n);
});

test("of all that is held, only a history is of the past", () => {
  expect(keysOf(heldThings).filter((what) => isOfThePast({ what }))).toEqual(["history"]);
});

test("a held thing that only a newer release knows is not of the past", () => {
  expect(isOfThePast({ what: "sequencer" })).toBe(false);
});
