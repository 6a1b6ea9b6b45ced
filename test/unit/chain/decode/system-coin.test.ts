import { describe, expect, it } from "vitest";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import { onlyAnswered, proofOf } from "../../../../src/domain/money/movement.ts";
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

const escrow = `0x${"e5".repeat(20)}`;
const network = `0x${"fe".repeat(20)}`;

describe("coin that Nitro moves beside the calls", () => {
  const arbitrum = profileOf(42_161);
  const paid = { purpose: "feePayment", from: alice, to: null, value: "0x9" };
  const refunded = { purpose: "gasRefund", from: null, to: alice, value: "0x3" };
  const collected = { purpose: "feeCollection", from: null, to: network, value: "0x6" };

  it("an ordinary transaction pays what its receipt says, once", () => {
    const frame = { beforeEVMTransfers: [paid], afterEVMTransfers: [refunded, collected] };
    const made = { receipt: { gasUsed: "0x2", effectiveGasPrice: "0x3" }, frame };
    expect(seen(decode(arbitrum, made))).toEqual([["fee", "native", alice, zero, 6n]]);
  });

  it("a retryable brings what was escrowed, pays with what it brings, and refunds the rest", () => {
    const frame = {
      beforeEVMTransfers: [
        { purpose: "escrow", from: escrow, to: alice, value: "0x5" },
        { purpose: "prepaid", from: null, to: alice, value: "0x9" },
        paid,
      ],
      afterEVMTransfers: [
        { purpose: "gasRefund", from: null, to: alice, value: "0x3" },
        { purpose: "refund", from: alice, to: carol, value: "0x3" },
      ],
      calls: [],
    };
    const transaction = { type: "0x68", value: "0x5" };
    const movements = decode(arbitrum, { transaction, frame });
    const proved = { ...onlyAnswered, logs: "root", others: "root" } as const;
    expect(movements.map((movement) => proofOf(proved, movement))).toEqual([
      "answered",
      "root",
      ...["answered", "answered", "answered"],
    ]);
    expect(seen(movements)).toEqual([
      ["income", "native", zero, alice, 9n],
      ["transfer", "native", alice, bob, 5n],
      ["transfer", "native", escrow, alice, 5n],
      ["transfer", "native", alice, carol, 3n],
      ["fee", "native", alice, zero, 6n],
    ]);
  });

  it("what a retryable refunds stays although its call failed", () => {
    const frame = {
      error: "execution reverted",
      beforeEVMTransfers: [{ purpose: "escrow", from: escrow, to: alice, value: "0x5" }],
      afterEVMTransfers: [{ purpose: "escrow", from: alice, to: escrow, value: "0x5" }],
    };
    const transaction = { type: "0x68", value: "0x5" };
    expect(seen(decode(arbitrum, { transaction, receipt: { status: "0x0" }, frame }))).toEqual([
      ["transfer", "native", escrow, alice, 5n],
      ["transfer", "native", alice, escrow, 5n],
    ]);
  });

  it("a deposit is made for its sender, who sends it on", () => {
    expect(seen(decode(arbitrum, { transaction: { type: "0x64", value: "0x5" } }))).toEqual([
      ["income", "native", zero, alice, 5n],
      ["transfer", "native", alice, bob, 5n],
    ]);
  });
});

describe("coin that comes without a transaction", () => {
  it("Gnosis: what its bridge mints is an income of whom trace_block rewards", () => {
    const parity = [
      {
        type: "call",
        blockHash,
        transactionHash: txHash,
        transactionPosition: 0,
        traceAddress: [],
        action: { callType: "call", from: alice, to: bob, value: "0x0" },
      },
      ...["0x5", "0x2"].map((value) => ({
        type: "reward",
        blockHash,
        transactionHash: null,
        traceAddress: [],
        action: { author: carol, rewardType: "external", value },
      })),
    ];
    expect(seen(decode(profileOf(100), { parity }))).toEqual([
      ["income", "native", zero, carol, 7n],
    ]);
  });

  it("Gnosis: a withdrawal is paid in a token, and no income of the coin", () => {
    const block = { withdrawals: [{ index: "0x1", address: bob, amount: "0x9" }] };
    expect(decode(profileOf(100), { block })).toEqual([]);
    expect(decode(profileOf(1), { block })).toHaveLength(1);
  });

  const coin = "0x0000000000000000000000000000000000001010";
  const synced = "0x4e2ca0515ed1aef1395f66b5303bb5d6f1bf9d61a353fa53f73f8ac9973fa9f6";
  const syncLog = () =>
    logOf(coin, [synced, word(alice), word(bob)], `${word(8)}${"0".repeat(64)}`);

  it("Avalanche: what one transaction brings an account more than once is one income", () => {
    const avalanche = profileOf(43_114);
    const number = (value: number, bytes = 4) => value.toString(16).padStart(2 * bytes, "0");
    const output = (to: string, nano: number, asset = avalanche.atomicCoin) =>
      `${to.slice(2)}${number(nano, 8)}${asset}`;
    const outputs = [
      output(bob, 3),
      output(bob, 4),
      output(bob, 9, "5".repeat(64)),
      output(carol, 5),
    ];
    // The codec's version, the kind, the network and two chains; no inputs; outputs; no signatures.
    const start = `${number(0, 2)}${number(0)}${number(1)}${"0".repeat(128)}${number(0)}`;
    const blockExtraData = `0x${start}${number(outputs.length)}${outputs.join("")}${number(0)}`;
    expect(seen(decode(avalanche, { block: { blockExtraData } }))).toEqual([
      ["income", "native", zero, bob, 7n * 10n ** 9n],
      ["income", "native", zero, carol, 5n * 10n ** 9n],
    ]);
  });

  it("Polygon: what a state sync brings counts once, whether its node traces it or not", () => {
    const transaction = { type: "0x7f", from: zero, to: zero };
    const frame = {
      from: `0x${"f".repeat(40)}`,
      to: `0x${"10".repeat(20)}`,
      calls: [{ type: "CALL", from: coin, to: bob, value: hex(8) }],
    };
    for (const made of [{ transaction }, { transaction, frame }]) {
      expect(seen(decode(profileOf(137), { ...made, logs: [syncLog()] }))).toEqual([
        ["transfer", "native", coin, bob, 8n],
      ]);
    }
  });

  it("Polygon: the same log of an ordinary transaction says nothing new", () => {
    expect(decode(profileOf(137), { logs: [syncLog()] })).toEqual([]);
  });
});

describe("a log of a system's coin without its amount or its receiver", () => {
  const minted = "0x0f6798a560793a54c3bcfe86a93cde1e73087d944c0ea20544137d4121396885";
  const synced = "0x4e2ca0515ed1aef1395f66b5303bb5d6f1bf9d61a353fa53f73f8ac9973fa9f6";
  const zksync = "0x000000000000000000000000000000000000800a";
  const polygon = "0x0000000000000000000000000000000000001010";
  const plain = {};
  const sync = { type: "0x7f", from: zero, to: zero };

  it.each([
    ["zkSync's amount", 324, plain, logOf(zksync, [minted, word(alice)], "0x")],
    ["zkSync's receiver", 324, plain, logOf(zksync, [minted], word(5))],
    ["Polygon's amount", 137, sync, logOf(polygon, [synced, word(alice), word(bob)], "0x")],
  ])("is a malformed answer: %s", (_title, chainId, transaction, log) => {
    expect(() => decode(profileOf(chainId), { transaction, logs: [log] })).toThrow("malformed");
  });
});

describe("receipts of before Byzantium, which do not say how it ended", () => {
  const movesOf = (gas: string, gasUsed: string, input: string, logs: object[] = []) =>
    decode(profileOf(1), {
      transaction: { type: "0x0", value: "0x5", gas, input },
      receipt: { status: null, root: `0x${"5".repeat(64)}`, gasUsed },
      logs,
    }).length;

  it("a transaction that used all its gas had failed, but for a plain transfer", () => {
    expect(movesOf("0x9000", "0x8fff", "0x1234")).toBe(1);
    expect(movesOf("0x9000", "0x9000", "0x1234")).toBe(0);
    expect(movesOf("0x5208", "0x5208", "0x")).toBe(1);
  });

  it("a transaction with logs had not failed, although it used all its gas", () => {
    expect(movesOf("0x9000", "0x9000", "0x1234", [transfer(token, alice, bob, 3)])).toBe(2);
  });
});
