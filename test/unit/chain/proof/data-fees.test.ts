import { describe, expect, it } from "vitest";
import { unshownFees } from "../../../../src/chain/proof/data-fees.ts";
import { fastlzLength } from "../../../../src/chain/proof/encoding/fastlz.ts";
import { parseBlock, parseReceipt } from "../../../../src/chain/rpc/rpc-block.ts";

const hash = `0x${"5".repeat(64)}` as const;
const someone = `0x${"a1".repeat(20)}`;
const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** A transaction with one blob in a block of that time, whose excess of blobs is so much. */
function withBlob(seconds: number, excess: number | bigint, price: bigint) {
  const transaction = { hash, type: "0x3", from: someone, to: someone, value: "0x0" };
  const block = parseBlock({
    number: "0x1",
    hash,
    parentHash: hash,
    timestamp: hex(seconds),
    baseFeePerGas: "0x5",

    miner: someone,
    logsBloom: "0x",
    excessBlobGas: hex(excess),
    transactions: [transaction],
  });
  const blob = { blobGasUsed: "0x20000", blobGasPrice: hex(price) };
  const receipt = { transactionHash: hash, blockHash: hash, gasUsed: "0x2", logs: [], ...blob };
  return { block, receipts: [parseReceipt(receipt)] };
}

const isShown = (...of: Parameters<typeof withBlob>) =>
  !unshownFees({ family: "Ethereum" }, withBlob(...of)).has(hash);

const [cancun, prague, first, second] = [
  1_710_338_135, 1_746_612_311, 1_765_290_071, 1_767_747_671,
];

describe("the price of blobs", () => {
  // The values of Cancun are those of go-ethereum's own test (consensus/misc/eip4844).
  it.each([
    ["Cancun", cancun, 0, 1n],
    ["Cancun", cancun, 2_314_057, 1n],
    ["Cancun", cancun, 2_314_058, 2n],
    ["Cancun", cancun, 10 * 1_024 * 1_024, 23n],
    ["Prague", prague, 10 * 1_024 * 1_024, 8n],
    ["the first fork of blobs", first, 10 * 1_024 * 1_024, 3n],
    ["the second", second, 10 * 1_024 * 1_024, 2n],
  ])("follows from the header since %s", (_, seconds, excess, price) => {
    expect(isShown(seconds, excess, price)).toBe(true);
    expect(isShown(seconds, excess, price + 1n)).toBe(false);
  });

  it("is what the endpoint says where the excess is more than any chain can have", () => {
    expect(isShown(second, 2n ** 255n, 1n)).toBe(false);
  });

  it("is what the endpoint says where no fork of that time is known", () => {
    expect(isShown(cancun - 1, 0, 1n)).toBe(false);
  });
});

describe("a fee for data", () => {
  it("is what the endpoint says where the block does not say what the parent chain asks", () => {
    const { block } = withBlob(second, 0, 1n);
    const receipt = {
      transactionHash: hash,
      blockHash: hash,
      gasUsed: "0x2",
      logs: [],
      l1Fee: "0x1",
    };
    const receipts = [parseReceipt(receipt)];
    expect([...unshownFees({ family: "OP stack" }, { block, receipts })]).toEqual([hash]);
  });
});

describe("the length that FastLZ would give", () => {
  // The vectors of op-geth's own test (core/types/rollup_cost_test.go, TestFlzCompressLen).
  it.each([
    ["nothing", new Uint8Array(0), 0],
    ["a thousand ones", new Uint8Array(1_000).fill(1), 21],
    ["a thousand zeros", new Uint8Array(1_000), 21],
  ])("of %s", (_, bytes, length) => {
    expect(fastlzLength(bytes)).toBe(length);
  });
});
