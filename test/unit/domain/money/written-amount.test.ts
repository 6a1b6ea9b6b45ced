import { expect, test } from "vitest";
import { writtenAmountIn } from "../../../../src/domain/money/written-amount.ts";

test.each([
  ["25 USDC", "25", "USDC"],
  ["25USDC", "25", "USDC"],
  ["1,000.50 usdc", "1000.5", "usdc"],
  ["1.000,50 USDC", "1000.5", "USDC"],
  ["1\u202f000,50 USDC", "1000.5", "USDC"],
  ["1 000 000 USDC", "1000000", "USDC"],
  ["1'000.25 USDC", "1000.25", "USDC"],
  ["1.000 USDC", "1", "USDC"],
  ["1,000 USDC", "1000", "USDC"],
  ["25,5 USDC", "25.5", "USDC"],
  ["0,125 ETH", "0.125", "ETH"],
  ["0.000000000000000001 ETH", "0.000000000000000001", "ETH"],
  ["007.00 ETH", "7", "ETH"],
  ["  3  USDC.e ", "3", "USDC.e"],
  ["25 1INCH", "25", "1INCH"],
  ["5 USD₮0", "5", "USD₮0"],
  [`${2n ** 256n - 1n} RAW`, `${2n ** 256n - 1n}`, "RAW"],
])("'%s' is %s of %s", (text, amount, code) => {
  expect(writtenAmountIn(text)).toEqual({ amount, code });
});

test.each([
  "25",
  "USDC",
  "USDC 25",
  "-5 USDC",
  "1,00,0 USDC",
  "1,000.5.5 USDC",
  "1.5e6 USDC, or more",
  "order-17",
  `${"9".repeat(79)} USDC`,
  "",
])("'%s' is no amount with a code", (text) => {
  expect(writtenAmountIn(text)).toBe(null);
});
