import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { judgeBalances, type ThresholdLimits } from "../../../../src/domain/money/threshold.ts";

const limits = { belowAtomic: 100n, restoredFromAtomic: 150n };

/** The state after one more balance, and what it crossed by that. */
function judge(isBelow: boolean | null, own: ThresholdLimits, confirmedAtomic: bigint) {
  const judgement = judgeBalances(isBelow, own, [{ confirmedAtomic, blockNumber: 7n }]);
  return [judgement.isBelow, ...judgement.crossed.map(({ state }) => state)];
}

describe("a balance judged by a threshold of 100 that is restored from 150", () => {
  test.each([
    ["not judged before", null, 99n, [true, "below"]],
    ["not judged before", null, 0n, [true, "below"]],
    ["not judged before", null, 100n, [false]],
    ["not judged before", null, 149n, [false]],
    ["not judged before", null, 150n, [false]],
    ["above", false, 99n, [true, "below"]],
    ["above", false, 100n, [false]],
    ["above", false, 149n, [false]],
    ["above", false, 150n, [false]],
    ["below", true, 99n, [true]],
    ["below", true, 100n, [true]],
    ["below", true, 149n, [true]],
    ["below", true, 150n, [false, "restored"]],
    ["below", true, 10n ** 30n, [false, "restored"]],
  ])("%s (%s), %s", (_, isBelow, confirmedAtomic, expected) => {
    expect(judge(isBelow, limits, confirmedAtomic)).toEqual(expected);
  });

  it("without a band is restored from the threshold itself on", () => {
    const alone = { belowAtomic: 100n, restoredFromAtomic: 100n };
    expect(judge(false, alone, 99n)).toEqual([true, "below"]);
    expect(judge(true, alone, 99n)).toEqual([true]);
    expect(judge(true, alone, 100n)).toEqual([false, "restored"]);
    expect(judge(false, alone, 100n)).toEqual([false]);
  });
});

const amount = fc.bigInt({ min: 0n, max: 20n });

it("a walk of balances crosses down and up in turn, and only where a limit is passed", () => {
  fc.assert(
    fc.property(amount, amount, fc.array(amount), (one, band, walk) => {
      const belowAtomic = one + 1n;
      const own = { belowAtomic, restoredFromAtomic: belowAtomic + band };
      let isBelow: boolean | null = null;
      const oneByOne: object[] = [];
      for (const [at, confirmed] of walk.entries()) {
        const [isNow, ...crossed]: (boolean | string | null)[] = judge(isBelow, own, confirmed);
        if (crossed.length > 0) expect(crossed).toEqual([isBelow === true ? "restored" : "below"]);
        else expect(isNow).toBe(isBelow ?? false);
        for (const state of crossed)
          oneByOne.push({ state, confirmedAtomic: confirmed, blockNumber: BigInt(at) });
        isBelow = isNow === true;
        expect(judge(isBelow, own, confirmed)).toEqual([isBelow]);
        if (confirmed < own.belowAtomic) expect(isBelow).toBe(true);
        if (confirmed >= own.restoredFromAtomic) expect(isBelow).toBe(false);
      }
      const balances = walk.map((confirmedAtomic, at) => ({
        confirmedAtomic,
        blockNumber: BigInt(at),
      }));
      const together = judgeBalances(null, own, balances);
      expect(together.isBelow).toBe(isBelow);
      expect(together.crossed).toEqual(oneByOne);
    }),
  );
});
