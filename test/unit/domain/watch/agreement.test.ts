import { describe, expect, it } from "vitest";
import type { Address } from "../../../../src/domain/chain/address.ts";
import type { LoadedBlock, Movement } from "../../../../src/domain/money/movement.ts";
import { judge, judgeMoves } from "../../../../src/domain/watch/agreement.ts";

const rule = (needed: number) => ({ needed, isSame: (a: string, b: string) => a[0] === b[0] });

describe("what the answers of hosts come to", () => {
  it.each<[what: string, values: string, isOpen: boolean, needed: number, verdict: string]>([
    ["nobody has answered", "", true, 2, "silent"],
    ["one host has answered, and there is no other", "a", false, 2, "alone"],
    ["one host has answered, another one has not", "a", true, 2, "silent"],
    ["one is never enough, though no more are asked for", "a", true, 1, "silent"],
    ["two say the same", "aa", false, 2, "agreed"],
    ["two say the same, a third has not answered", "aa", true, 2, "agreed"],
    ["three are needed, two say the same, a third has not answered", "aa", true, 3, "silent"],
    ["three are needed, and there are two", "aa", false, 3, "agreed"],
    ["two differ", "ab", false, 2, "disputed"],
    ["two differ, a third has not answered", "ab", true, 2, "disputed"],
    ["two of three say the same", "bab", false, 2, "agreed"],
    ["two of three say the same, three are needed", "bab", false, 3, "disputed"],
    ["three differ", "abc", false, 2, "disputed"],
    ["two against two", "abba", false, 3, "disputed"],
  ])("%s", (_, values, isOpen, needed, verdict) => {
    const said = [...values].map((value, at) => `${value}${at}`);
    expect(judge({ values: said, silent: isOpen ? ["other"] : [] }, rule(needed)).kind).toBe(
      verdict,
    );
  });

  it.each<[what: string, values: string, isOpen: boolean, verdict: string]>([
    ["one host has answered, another one refuses", "a", false, "refused"],
    ["one host has answered, one is silent, one refuses", "a", true, "refused"],
    ["two say the same, a third refuses", "aa", false, "agreed"],
    ["two differ, a third refuses", "ab", false, "disputed"],
  ])("%s", (_, values, isOpen, verdict) => {
    const said = [...values].map((value, at) => `${value}${at}`);
    const silent = isOpen ? ["other"] : [];
    expect(judge({ values: said, silent, refused: ["third"] }, rule(2)).kind).toBe(verdict);
  });

  it("is the first of the most that say the same, with the others of them", () => {
    const values = ["a0", "b1", "b2", "a3", "b4"];
    const verdict = judge({ values, silent: [] }, rule(3));
    expect(verdict).toEqual({ kind: "agreed", value: "b1", also: ["b2", "b4"] });
  });

  it("need not be transitive: two that each agree with a third do not agree with each other", () => {
    const isSame = (a: string, b: string) => a.includes(b) || b.includes(a);
    const values = ["x", "xy", "y"];
    expect(judge({ values: ["x", "y"], silent: [] }, { needed: 2, isSame }).kind).toBe("disputed");
    expect(judge({ values, silent: [] }, { needed: 3, isSame })).toMatchObject({
      kind: "agreed",
      value: "xy",
    });
  });
});

const wallet: Address = "0x00000000000000000000000000000000000a11ce";
const [payer, stranger] = ["0x0a", "0x0b"] as Address[];

/** Who paid the wallet how much, without a log. */
type Paid = [from: Address | undefined, amountAtomic: bigint];

function blockOf(paid: Paid[], traces: "answered" | "agreed" = "answered"): LoadedBlock {
  const movements = paid.map(
    ([from, amountAtomic]) =>
      ({
        kind: "call",
        asset: "native",
        txHash: "0x01",
        from,
        to: wallet,
        amountAtomic,
        logIndex: null,
      }) as unknown as Movement,
  );
  return { movements, evidence: { traces } } as unknown as LoadedBlock;
}

describe("what hosts show of the coin that a wallet moves", () => {
  const five = (from = payer): Paid[] => [[from, 5n]];
  it.each<[what: string, shown: Paid[][], isOpen: boolean, verdict: string]>([
    ["two show the same", [five(), five()], false, "agreed"],
    ["nobody else traces", [five()], false, "alone"],
    ["another host has not answered", [five()], true, "silent"],
    ["another host shows another party", [five(), five(stranger)], false, "disputed"],
    ["another host shows another amount", [five(), [[payer, 6n]]], false, "other_amounts"],
    ["another host shows nothing", [five(), []], false, "other_amounts"],
    [
      "one of three shows another party, and two are needed",
      [five(stranger), five(), five()],
      false,
      "agreed",
    ],
    [
      "the same amount in two payments is another party",
      [
        [
          [payer, 2n],
          [payer, 3n],
        ],
        five(),
      ],
      false,
      "disputed",
    ],
  ])("%s", (_, shown, isOpen, verdict) => {
    const values = shown.map((paid) => blockOf(paid));
    expect(judgeMoves({ values, silent: isOpen ? ["other"] : [] }, 2, wallet).kind).toBe(verdict);
  });

  it("needs nobody else where the block's hash covers it, or hosts have agreed on the whole block", () => {
    const block = blockOf(five(), "agreed");
    expect(judgeMoves({ values: [block], silent: ["other"] }, 2, wallet)).toEqual({
      kind: "agreed",
      block,
    });
  });
});
