import { expect, it } from "vitest";
import { weighAnswer } from "../../../../src/chain/blocks/asking/weigh-answer.ts";

it("an answer weighs its texts and a little for each value", () => {
  expect(weighAnswer({ a: "0x1234", b: [null, 7, "0x"] })).toBe(6 * 24 + 6 + 2);
});

it("an answer may be nested without end", () => {
  const depth = 200_000;
  const nested: unknown = JSON.parse("[".repeat(depth) + "]".repeat(depth));
  expect(weighAnswer(nested)).toBe(24 * depth);
});
