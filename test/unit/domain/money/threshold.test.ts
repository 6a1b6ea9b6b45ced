import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { judgeBalance } from "../../../../src/domain/money/threshold.ts";

const limits = { belowAtomic: 100n, restoredFromAtomic: 150n };
const same = { kind: "same" };
const first = { kind: "first" };
const below = { kind: "crossed", state: "below" };
const restored = { kind: "crossed", state: "restored" };

describe("a balance judged by a threshold of 100 that is restored from 150", () => {
  test.each([
    ["not judged before", null, 99n, below],
    ["not judged before", null, 0n, below],
    ["not judged before", null, 100n, first],
    ["not judged before", null, 149n, first],
    ["not judged before", null, 150n, first],
    ["above", false, 99n, below],
    ["above", false, 100n, same],
    ["above", false, 149n, same],
    ["above", false, 150n, same],
    ["below", true, 99n, same],
    ["below", true, 100n, same],
    ["below", true, 149n, same],
    ["below", true, 150n, restored],
    ["below", true, 10n ** 30n, restored],
  ])("%s (%s), %s", (_, isBelow, confirmedAtomic, expected) => {
    expect(judgeBalance(isBelow, limits, confirmedAtomic)).toEqual(expected);
  });

  it("without a band is restored from the threshold itself on", () => {
    const alone = { belowAtomic: 100n, restoredFromAtomic: 100n };
    expect(judgeBalance(false, alone, 99n)).toEqual(below);
    expect(judgeBalance(true, alone, 99n)).toEqual(same);
    expect(judgeBalance(true, alone, 100n)).toEqual(restored);
    expect(judgeBalance(false, alone, 100n)).toEqual(same);
  });
});

const amount = fc.bigInt({ min: 0n, max: 20n });

it("a walk of balances crosses down and up in turn, and only where a limit is passed", () => {
  fc.assert(
    fc.property(amount, amount, fc.array(amount), (one, band, walk) => {
      const belowAtomic = one + 1n;
      const own = { belowAtomic, restoredFromAtomic: belowAtomic + band };
      let isBelow: boolean | null = null;
      for (const confirmed of walk) {
        const judgement = judgeBalance(isBelow, own, confirmed);
        if (judgement.kind === "crossed") {
          expect(judgement.state).toBe(isBelow === true ? "restored" : "below");
          isBelow = judgement.state === "below";
        } else if (judgement.kind === "first") {
          expect(isBelow).toBeNull();
          isBelow = false;
        }
        expect(judgeBalance(isBelow, own, confirmed)).toEqual(same);
        if (confirmed < own.belowAtomic) expect(isBelow).toBe(true);
        if (confirmed >= own.restoredFromAtomic) expect(isBelow).toBe(false);
      }
    }),
  );
});
