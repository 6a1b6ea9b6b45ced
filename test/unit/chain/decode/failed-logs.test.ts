import { describe, expect, it } from "vitest";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import { alice, bob, carol, decode, seen, token, transfer, zero } from "./made-block.ts";

const failed = { status: "0x0", gasUsed: "0x2", effectiveGasPrice: "0x3" };
const cronos = 25;
const unknown = 987_654_321;

describe("the logs of a failed transaction", () => {
  it.each([cronos, unknown])(
    "show no transfer, since that was undone too (chain %d)",
    (chainId) => {
      const made = { receipt: failed, logs: [transfer(token, carol, bob, 9)] };
      expect(seen(decode(profileOf(chainId), made))).toEqual([["fee", "native", alice, zero, 6n]]);
      const kept = { ...made, receipt: { ...failed, status: "0x1" } };
      expect(seen(decode(profileOf(chainId), kept))).toEqual([
        ["transfer", token, carol, bob, 9n],
        ["fee", "native", alice, zero, 6n],
      ]);
    },
  );

  it("show its fee where the chain keeps them (zkSync, Tempo)", () => {
    const coin = "0x000000000000000000000000000000000000800a";
    const bootloader = "0x0000000000000000000000000000000000008001";
    const manager = "0xfeec000000000000000000000000000000000000";
    expect(
      seen(
        decode(profileOf(324), {
          transaction: { type: "0x71" },
          receipt: failed,
          logs: [transfer(coin, alice, bootloader, 4)],
        }),
      ),
    ).toEqual([["fee", "native", alice, zero, 4n]]);
    expect(
      seen(
        decode(profileOf(4_217), {
          transaction: { type: "0x76", value: undefined, calls: [] },
          receipt: { ...failed, feePayer: alice, feeToken: token },
          logs: [transfer(token, alice, manager, 4)],
        }),
      ),
    ).toEqual([["fee", token, alice, zero, 4n]]);
  });
});
