import { expect, it } from "vitest";
import { keyRotate } from "../../../src/operator/key/rotate.ts";
import { webhookSet } from "../../../src/operator/webhook/set.ts";

it.each([
  [keyRotate.cli?.takes["overlapHours"], "two", "a whole number of hours from 0 to 720."],
  [webhookSet.cli?.takes["rate"], "fast", "a whole number from 1, or none."],
])("a parameter says what it takes", (take, given, expected) => {
  expect(take?.complaint?.(given)).toBe(`Expected ${expected}`);
});
