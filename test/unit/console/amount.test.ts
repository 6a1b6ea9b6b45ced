import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addAmounts,
  cutDecimals,
  groupDigits,
  isZero,
  partsOfAmount,
  subtractAmounts,
} from "../../../console/src/format/amount.ts";

const largest = "115792089237316195423570985008687907853269984665640564039457.584007913129639935";

const decimal = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 60n }),
    fc.stringMatching(/^[0-9]{0,17}[1-9]$/),
  )
  .map(([isNegative, whole, fraction]) => `${isNegative ? "-" : ""}${whole}.${fraction}`);

test("an amount keeps every digit, in groups of three", () => {
  expect(partsOfAmount("1234567.000000000000000001")).toEqual({
    sign: "",
    whole: "1,234,567",
    fraction: ".000000000000000001",
  });
  expect(partsOfAmount("-0.5")).toEqual({ sign: "−", whole: "0", fraction: ".5" });
  expect(partsOfAmount("42")).toEqual({ sign: "", whole: "42", fraction: "" });
  const { whole, fraction } = partsOfAmount(largest);
  expect(whole.replaceAll(",", "") + fraction).toBe(largest);
});

test("digits come in groups of three from the right", () => {
  expect(["1", "12", "123", "1234", "123456", "1234567"].map(groupDigits)).toEqual([
    "1",
    "12",
    "123",
    "1,234",
    "123,456",
    "1,234,567",
  ]);
});

test("a sum has two decimals, cut off and never rounded up", () => {
  expect(["1.999", "0.5", "7", "246000.000000000000912"].map((one) => cutDecimals(one, 2))).toEqual(
    ["1.99", "0.50", "7.00", "246000.00"],
  );
});

test("sums and differences are exact to the last of 78 digits", () => {
  expect(addAmounts(largest, "0.000000000000000001")).toBe(
    "115792089237316195423570985008687907853269984665640564039457.584007913129639936",
  );
  expect(subtractAmounts("1", "0.000000000000000001")).toBe("0.999999999999999999");
  expect(subtractAmounts("1.5", "1.5")).toBe("0");
  expect(subtractAmounts("0", "-0.25")).toBe("0.25");
});

test("what was added and is taken away again leaves the same amount", () => {
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      const again = subtractAmounts(addAmounts(one, other), other);
      expect(again === one || (isZero(one) && isZero(again))).toBe(true);
    }),
  );
});
