import fc from "fast-check";
import { expect, test } from "vitest";
import { plainDecimal } from "../../../src/domain/exact.ts";
import { decimalOf, isNearOne } from "../../../src/price/decimal.ts";

test.each([
  [1, "1"],
  [0, "0"],
  [0.1, "0.1"],
  [2500.12, "2500.12"],
  [1e21, "1000000000000000000000"],
  [1.5e-9, "0.0000000015"],
  [5e-324, `0.${"0".repeat(323)}5`],
  [120, "120"],
  [-1, null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
])("%d is %s", (value, text) => {
  expect(decimalOf(value)).toBe(text);
});

test("any price that comes as a number is a plain decimal that reads back as the same number", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalOf(value) ?? "";
      expect(text).toMatch(plainDecimal);
      expect(Number(text)).toBe(value);
    }),
  );
});

test.each([
  ["1", true],
  ["1.005", true],
  ["0.995", true],
  ["1.0050000001", false],
  ["0.9949999999", false],
  ["0", false],
  ["100", false],
])("a stablecoin at %s is near one dollar: %s", (text, isNear) => {
  expect(isNearOne(text)).toBe(isNear);
});
