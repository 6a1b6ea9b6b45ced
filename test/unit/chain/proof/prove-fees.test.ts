import { describe, expect, it } from "vitest";
import { unshownFees } from "../../../../src/chain/proof/data-fees.ts";
import { proveOtherFees, withPrices } from "../../../../src/chain/proof/prove-fees.ts";
import { parseBlock, parseReceipt } from "../../../../src/chain/rpc/rpc-block.ts";

const hash = `0x${"5".repeat(64)}`;
const someone = `0x${"a1".repeat(20)}`;
const capped = { maxFeePerGas: "0x9", maxPriorityFeePerGas: "0x2" };

function paid(transaction: object, receipt: object) {
  const common = { hash, from: someone, to: someone, value: "0x0" };
  const block = parseBlock({
    number: "0x1",
    hash,
    parentHash: hash,
    timestamp: "0x1",
    baseFeePerGas: "0x5",

    miner: someone,
    logsBloom: "0x",
    transactions: [{ ...common, ...transaction }],
  });
  const receipts = [
    parseReceipt({ transactionHash: hash, blockHash: hash, gasUsed: "0x2", logs: [], ...receipt }),
  ];
  return { block, receipts };
}

const priceOf = (transaction: object, receipt: object = {}, family = "Ethereum") =>
  withPrices({ family }, paid(transaction, receipt)).map((one) => one.effectiveGasPrice);

describe("the price that a transaction paid for gas", () => {
  it.each([
    ["what a legacy one offered", { gasPrice: "0x7" }, 7n],
    ["what one of EIP-2930 offered", { type: "0x1", gasPrice: "0x7" }, 7n],
    ["the base fee and a tip", { type: "0x2", ...capped }, 7n],
    ["no more than its cap", { type: "0x2", ...capped, maxFeePerGas: "0x6" }, 6n],
    ["the same with blobs", { type: "0x3", ...capped }, 7n],
    ["the same with authorisations", { type: "0x4", ...capped }, 7n],
  ])("is %s, and a receipt cannot say another", (_, transaction, price) => {
    const said = (amount: bigint) => ({ effectiveGasPrice: `0x${amount.toString(16)}` });
    expect(priceOf(transaction, said(price))).toEqual([price]);
    expect(priceOf(transaction)).toEqual([price]);
    expect(() => priceOf(transaction, said(price + 1n))).toThrow(/did not pay 8|did not pay 7/);
    expect(() => priceOf(transaction, said(0n))).toThrow(/did not pay 0/);
  });

  it("may be the base fee alone on Nitro, which takes no tips", () => {
    const receipt = { effectiveGasPrice: "0x5" };
    expect(priceOf({ type: "0x2", ...capped }, receipt, "Arbitrum Nitro")).toEqual([5n]);
    expect(() => priceOf({ type: "0x2", ...capped }, receipt)).toThrow(/did not pay 5/);
  });

  it("is what was signed where neither the receipt says it nor a root covers the transaction", () => {
    const unproved = (transaction: object, receipt: object = {}, family = "Cosmos EVM") =>
      withPrices({ family }, paid(transaction, receipt), false).map((one) => one.effectiveGasPrice);
    expect(unproved({ gasPrice: "0x7" })).toEqual([7n]);
    // What nodes put beside a cap is not what was signed.
    expect(unproved({ type: "0x2", ...capped, gasPrice: "0x9" })).toEqual([7n]);
    expect(unproved({ type: "0x2", ...capped }, { effectiveGasPrice: "0x8" })).toEqual([8n]);
    expect(() => unproved({ type: "0x2", gasPrice: "0x9" })).toThrow(/nothing says what/);
    expect(() => unproved({ type: "0x42", gasPrice: "0x9" })).toThrow(/nothing says what/);
    expect(unproved({ type: "0x2" }, { gasUsed: "0x0" })).toEqual([0n]);
    expect(unproved({ type: "0x76" }, {}, "Tempo")).toEqual([0n]);
  });

  it("is the base fee where Nitro's receipt says none, and is only answered", () => {
    expect(priceOf({ type: "0x2", ...capped }, {}, "Arbitrum Nitro")).toEqual([5n]);
    expect(priceOf({ gasPrice: "0x7" }, {}, "Arbitrum Nitro")).toEqual([5n]);
    const left = paid({ type: "0x2", ...capped }, {});
    expect([...unshownFees({ family: "Arbitrum Nitro" }, left)]).toEqual([hash]);
    const said = paid({ type: "0x2", ...capped }, { effectiveGasPrice: "0x5" });
    expect([...unshownFees({ family: "Arbitrum Nitro" }, said)]).toEqual([]);
  });

  it("is left as it is where the parent chain pays", () => {
    expect(priceOf({ type: "0x7e", mint: "0x0" }, { effectiveGasPrice: "0x0" })).toEqual([0n]);
  });
});

describe("what a transaction paid beside gas", () => {
  const prove =
    (transaction: object, receipt: object, family = "Ethereum") =>
    () =>
      proveOtherFees({ family }, paid(transaction, receipt));
  const two = { type: "0x3", ...capped, blobVersionedHashes: [hash, hash] };

  it("is nothing for blobs that it did not bring", () => {
    const receipt = { blobGasUsed: "0x40000", blobGasPrice: "0x1" };
    expect(prove(two, receipt)).not.toThrow();
    expect(prove({ ...two, blobVersionedHashes: [hash] }, receipt)).toThrow(/did not pay all/);
    expect(prove({ type: "0x2", ...capped }, receipt)).toThrow(/did not pay all/);
    // An OP-stack chain measures data with it, and gives it no price.
    expect(prove({ type: "0x2", ...capped }, { blobGasUsed: "0x40000" })).not.toThrow();
  });

  it("is in no token that a legacy transaction did not sign", () => {
    expect(prove({ gasPrice: "0x7" }, {})).not.toThrow();
    expect(prove({ gasPrice: "0x7", feeCurrency: someone }, {})).toThrow(/did not sign it/);
  });

  it.each(["l1Fee", "operatorFeeConstant", "operatorFeeScalar"])(
    "is no %s where the chain has no such fee",
    (field) => {
      const said = [{ type: "0x2", ...capped }, { [field]: "0x1" }] as const;
      expect(prove(...said)).toThrow(/did not pay all/);
      expect(prove(...said, "OP stack")).not.toThrow();
    },
  );
});
