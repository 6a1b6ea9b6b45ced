import { describe, expect, it } from "vitest";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import {
  alice,
  blockHash,
  bob,
  carol,
  decode,
  hex,
  logOf,
  seen,
  token,
  transfer,
  txHash,
  word,
  zero,
} from "./made-block.ts";

const gas = { gasUsed: "0x2", effectiveGasPrice: "0x3" };

describe("who pays for a transaction, and in what", () => {
  it("Tempo: the account that the receipt names, in a TIP-20 token, by its last transfer", () => {
    const manager = "0xfeec000000000000000000000000000000000000";
    const made = {
      transaction: { type: "0x76", value: undefined, calls: [] },
      receipt: { ...gas, feePayer: carol, feeToken: token },
      logs: [transfer(token, alice, bob, 9), transfer(token, carol, manager, 4)],
    };
    expect(seen(decode(profileOf(4_217), made))).toEqual([
      ["transfer", token, alice, bob, 9n],
      ["fee", token, carol, zero, 4n],
    ]);
  });

  it("Tempo: nothing in a coin, which it does not have", () => {
    const movements = decode(profileOf(4_217), { receipt: { ...gas, feePayer: alice } });
    expect(movements).toEqual([]);
  });

  it("zkSync: what the bootloader kept, whoever paid it", () => {
    const coin = "0x000000000000000000000000000000000000800a";
    const bootloader = "0x0000000000000000000000000000000000008001";
    const made = {
      transaction: { type: "0x71", value: "0x5" },
      receipt: gas,
      logs: [
        transfer(coin, carol, bootloader, 100),
        transfer(coin, alice, bob, 5),
        transfer(coin, bootloader, carol, 30),
      ],
    };
    expect(seen(decode(profileOf(324), made))).toEqual([
      ["transfer", "native", alice, bob, 5n],
      ["fee", "native", carol, zero, 70n],
    ]);
  });

  it("zkSync: coin that the parent chain brings is an income of whom it is minted for", () => {
    const coin = "0x000000000000000000000000000000000000800a";
    const minted = "0x0f6798a560793a54c3bcfe86a93cde1e73087d944c0ea20544137d4121396885";
    const logs = [logOf(coin, [minted, word(bob)], word(8))];
    expect(seen(decode(profileOf(324), { transaction: { type: "0xff" }, logs }))).toEqual([
      ["income", "native", zero, bob, 8n],
    ]);
  });

  it("Base: the payer that the receipt names (EIP-8130), and the sender where it names none", () => {
    const transaction = { type: "0x79", value: undefined, to: undefined, calls: [] };
    for (const [named, payer] of [
      [{ payer: carol }, carol],
      [{}, alice],
    ] as const) {
      const made = { transaction, receipt: { ...gas, l1Fee: "0x1", ...named } };
      expect(seen(decode(profileOf(8_453), made))).toEqual([["fee", "native", payer, zero, 7n]]);
    }
  });

  it("Base: a phase that was kept moves coin and tokens although the transaction failed", () => {
    const failed = "execution reverted";
    const common = { blockHash, transactionHash: txHash, transactionPosition: 0, type: "call" };
    const called = (to: string, value: string) => ({ callType: "call", from: alice, to, value });
    const frame = {
      to: zero,
      error: "phase reverted",
      calls: [
        { type: "CALL", from: alice, to: bob, value: "0x4" },
        { type: "CALL", from: alice, to: carol, value: "0x6", error: failed },
      ],
    };
    const parity = [
      { ...common, traceAddress: [], action: called(zero, "0x0"), error: "phase reverted" },
      { ...common, traceAddress: [0], action: called(bob, "0x4") },
      { ...common, traceAddress: [1], action: called(carol, "0x6"), error: failed },
    ];
    const made = {
      transaction: { type: "0x79", value: undefined, to: undefined, calls: [] },
      receipt: { status: "0x0", phaseStatuses: ["0x1", "0x0"] },
      logs: [transfer(token, alice, bob, 9)],
    };
    for (const traces of [{ frame }, { parity }]) {
      expect(seen(decode(profileOf(8_453), { ...made, ...traces }))).toEqual([
        ["transfer", "native", alice, bob, 4n],
        ["transfer", token, alice, bob, 9n],
      ]);
      // A trace that fails without its transaction would hide what that moved.
      expect(() => decode(profileOf(8_453), traces)).toThrow("failed, but its receipt did not");
    }
  });

  it("Mantle: gas alone where the gas paid for data too, and since Arsia what is shown beside it", () => {
    const shown = { ...gas, l1Fee: "0x5", operatorFeeConstant: "0x1", operatorFeeScalar: "0x0" };
    const feeOf = (chainId: number, receipt: object) =>
      seen(decode(profileOf(chainId), { receipt }));
    expect(feeOf(5_000, shown)).toEqual([["fee", "native", alice, zero, 6n]]);
    const arsia = { ...shown, daFootprintGasScalar: "0x190" };
    expect(feeOf(5_000, arsia)).toEqual([["fee", "native", alice, zero, 12n]]);
    expect(feeOf(10, shown)).toEqual([["fee", "native", alice, zero, 12n]]);
  });

  it("Celo: in the token that the transaction names, in its own decimals where an adapter stands before it", () => {
    const adapter = "0x2f25deb3848c207fc8e0c34035b3ba7fc157602b";
    const usdc = "0xceba9300f2b948710d2653dd7b07f33a8b32118c";
    const feeOf = (feeCurrency: string, receipt: object) =>
      seen(decode(profileOf(42_220), { transaction: { type: "0x7b", feeCurrency }, receipt }));
    expect(feeOf(token, gas)).toEqual([["fee", token, alice, zero, 6n]]);
    const dear = { gasUsed: "0x3", effectiveGasPrice: `0x${(10n ** 12n).toString(16)}` };
    expect(feeOf(adapter, dear)).toEqual([["fee", usdc, alice, zero, 3n]]);
  });

  const tip = `0x${"71".repeat(20)}` as const;
  const fund = `0x${"f0".repeat(20)}` as const;
  const holder = "0x000000000000000000000000000000000ce106a5";
  const inToken = { type: "0x7b", feeCurrency: token };
  const paid = { gasUsed: "0x3", effectiveGasPrice: "0x4" };

  it.each([
    [
      "Mento and Circle",
      [transfer(token, alice, zero, 40)],
      [
        transfer(token, zero, alice, 40),
        transfer(token, alice, tip, 2),
        transfer(token, alice, fund, 10),
      ],
    ],
    [
      "Tether",
      [transfer(token, alice, holder, 40)],
      [
        transfer(token, holder, tip, 2),
        transfer(token, holder, fund, 10),
        transfer(token, holder, alice, 28),
      ],
    ],
    [
      "Tether, of a transaction without a tip that used all its gas",
      [transfer(token, alice, holder, 12)],
      [transfer(token, holder, tip, 0), transfer(token, holder, fund, 12)],
    ],
  ])(
    "Celo: what the token took before and paid out after is the fee, once (%s)",
    (_, before, after) => {
      const own = [transfer(token, alice, bob, 9), transfer(token, bob, alice, 5)];
      const moved = (logs: object[], receipt = {}) =>
        seen(
          decode(profileOf(42_220), {
            transaction: inToken,
            receipt: { ...paid, ...receipt },
            logs,
          }),
        ).filter(([, , , , amount]) => amount !== 0n);
      expect(moved([...before, ...own, ...after])).toEqual([
        ["transfer", token, alice, bob, 9n],
        ["transfer", token, bob, alice, 5n],
        ["fee", token, alice, zero, 12n],
      ]);
      expect(moved([...before, ...after], { status: "0x0" })).toEqual([
        ["fee", token, alice, zero, 12n],
      ]);
    },
  );

  it("Celo: to the digit that an adapter's token took, whichever adapter it is", () => {
    // Prices have 18 decimals here, and the token has 6: each part is rounded down by itself.
    const transaction = { type: "0x7b", feeCurrency: carol };
    const receipt = { gasUsed: "0x2", effectiveGasPrice: hex(1_700_000_000_000) };
    const logs = [
      transfer(token, alice, zero, 5),
      transfer(token, zero, alice, 5),
      transfer(token, alice, tip, 0),
      transfer(token, alice, fund, 4),
    ];
    expect(seen(decode(profileOf(42_220), { transaction, receipt, logs }))).toEqual([
      ["fee", token, alice, zero, 4n],
    ]);
  });

  it("Celo: is reckoned where the logs are of the transaction's own transfers", () => {
    for (const logs of [
      [transfer(token, alice, bob, 9)],
      [transfer(token, alice, bob, 9), transfer(token, bob, carol, 4)],
      [transfer(token, alice, bob, 9), transfer(token, bob, alice, 12)],
      [transfer(token, alice, bob, 9), transfer(carol, bob, alice, 9)],
      [
        transfer(carol, bob, alice, 1),
        transfer(token, alice, bob, 9),
        transfer(token, bob, tip, 9),
      ],
    ])
      expect(
        decode(profileOf(42_220), { transaction: inToken, receipt: paid, logs }),
      ).toMatchObject([
        ...logs.map(() => ({ kind: "transfer" })),
        { kind: "fee", asset: token, from: alice, amountAtomic: 12n },
      ]);
  });
});
