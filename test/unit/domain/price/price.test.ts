import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { netWorthUsd } from "../../../../src/domain/price/price.ts";

const worth = (amountAtomic: bigint, decimals: number, usd: string) =>
  netWorthUsd([{ amountAtomic, decimals, usd }]);

describe("net worth", () => {
  test.each([
    ["nothing is 0.00", [], "0.00"],
    ["a tie goes to the even cent below", [[125n, 3, "1"]], "0.12"],
    ["a tie goes to the even cent above", [[135n, 3, "1"]], "0.14"],
    ["just over a tie goes up", [[1_250_001n, 7, "1"]], "0.13"],
    [
      "only the sum is rounded",
      [
        [4n, 3, "1"],
        [4n, 3, "1"],
      ],
      "0.01",
    ],
    ["a debt is rounded alike", [[-125n, 3, "1"]], "-0.12"],
    ["a debt that rounds away has no sign", [[-1n, 3, "1"]], "0.00"],
  ] as [string, [bigint, number, string][], string][])("%s", (_title, holdings, expected) => {
    const list = holdings.map(([amountAtomic, decimals, usd]) => ({ amountAtomic, decimals, usd }));
    expect(netWorthUsd(list)).toBe(expected);
  });

  test("is exact above 2^53 and with 18 decimals", () => {
    expect(worth(2n ** 256n - 1n, 18, "1")).toBe(
      "115792089237316195423570985008687907853269984665640564039457.58",
    );
    expect(worth(10n ** 18n, 18, "9007199254740993.01")).toBe("9007199254740993.01");
  });

  test("of whole cents is their plain sum", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(-(10n ** 30n), 10n ** 30n)), (cents) => {
        const total = cents.reduce((sum, value) => sum + value, 0n);
        const holdings = cents.map((amountAtomic) => ({ amountAtomic, decimals: 2, usd: "1" }));
        expect(BigInt(netWorthUsd(holdings).replace(".", ""))).toBe(total);
      }),
    );
  });
});
