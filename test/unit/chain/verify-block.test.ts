import { describe, expect, it } from "vitest";
import { decodeBlock } from "../../../src/chain/decode-block.ts";
import type { RpcBlock, RpcReceipt } from "../../../src/chain/rpc-block.ts";
import { verifyBlock } from "../../../src/chain/verify-block.ts";

const blockHash = `0x${"b".repeat(64)}` as const;
const otherHash = `0x${"c".repeat(64)}` as const;
const token = `0x${"70".repeat(20)}` as const;
const alice = `0x${"a1".repeat(20)}` as const;
const bob = `0x${"b0".repeat(20)}` as const;
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}` as const;

function logOf(part: object) {
  const topics = [transferTopic, word(alice), word(bob)];
  const data = `0x${"f".repeat(64)}`;
  const common = {
    address: token,
    blockHash,
    transactionHash: hashOf(1),
    logIndex: 0,
    topics,
    data,
  };
  return { ...common, ...part };
}

function hashOf(index: number): `0x${string}` {
  return `0x${index.toString().padStart(64, "0")}`;
}

function receiptOf(part: object) {
  const costs = { gasUsed: 2n, effectiveGasPrice: 3n, l1FeeAtomic: 0n };
  return {
    transactionHash: hashOf(1),
    blockHash,
    status: "success",
    contractAddress: null,
    logs: [],
    ...costs,
    ...part,
  };
}

function blockOf(part: object) {
  const transaction = { hash: hashOf(1), from: alice, to: bob, value: 0n };
  return { number: 7n, hash: blockHash, logsBloom: "0x0", transactions: [transaction], ...part };
}

// What an endpoint may say, cut down to what is looked at.
const verify = (block: object, receipts: object[]) =>
  verifyBlock(block as RpcBlock, receipts as RpcReceipt[]);
const decode = (block: object, receipts: object[]) =>
  decodeBlock(block as RpcBlock, receipts as RpcReceipt[]);

describe("verifying a block", () => {
  it("accepts a block whose parts belong together", () => {
    const logs = [logOf({ logIndex: 0 }), logOf({ logIndex: 1 })];
    expect(() => verify(blockOf({ logsBloom: "0x1" }), [receiptOf({ logs })])).not.toThrow();
  });

  const broken: [string, object, object[]][] = [
    ["a receipt is missing", blockOf({}), []],
    [
      "a receipt is of another transaction",
      blockOf({}),
      [receiptOf({ transactionHash: hashOf(2) })],
    ],
    ["a receipt is of another block", blockOf({}), [receiptOf({ blockHash: otherHash })]],
    [
      "a log is of another block",
      blockOf({}),
      [receiptOf({ logs: [logOf({ blockHash: otherHash })] })],
    ],
    [
      "a log is of another transaction",
      blockOf({}),
      [receiptOf({ logs: [logOf({ transactionHash: hashOf(9) })] })],
    ],
    ["a log index appears twice", blockOf({}), [receiptOf({ logs: [logOf({}), logOf({})] })]],
    ["a log is left out", blockOf({}), [receiptOf({ logs: [logOf({ logIndex: 1 })] })]],
    ["the bloom promises logs that are not there", blockOf({ logsBloom: "0x1" }), [receiptOf({})]],
    [
      "a transaction has the zero hash",
      blockOf({ transactions: [{ hash: hashOf(0), from: alice, to: bob, value: 0n }] }),
      [receiptOf({ transactionHash: hashOf(0) })],
    ],
  ];
  it.each(broken)("refuses a block where %s", (_, block, receipts) => {
    expect(() => verify(block, receipts)).toThrow(
      expect.objectContaining({ code: "rpc_inconsistent" }),
    );
  });
});

describe("decoding a block", () => {
  it("reads amounts up to the largest uint256", () => {
    const [transfer] = decode(blockOf({}), [receiptOf({ logs: [logOf({})] })]);
    expect(transfer).toMatchObject({
      asset: token,
      from: alice,
      to: bob,
      amountAtomic: 2n ** 256n - 1n,
      logIndex: 0,
    });
  });

  it("passes over an ERC-721 transfer and over logs that are no transfer", () => {
    const erc721 = logOf({
      topics: [transferTopic, word(alice), word(bob), word(token)],
      data: "0x",
    });
    const approval = logOf({ topics: [`0x${"1".repeat(64)}`, word(alice), word(bob)] });
    const movements = decode(blockOf({}), [receiptOf({ logs: [erc721, approval] })]);
    expect(movements.map((movement) => movement.kind)).toEqual(["fee"]);
  });

  it("counts the value of a successful transaction with any calldata, and of a failed one only its fee", () => {
    const block = blockOf({
      transactions: [{ hash: hashOf(1), from: alice, to: bob, value: 9n, input: "0x1234" }],
    });
    const kinds = (status: string) =>
      decode(block, [receiptOf({ status })]).map((movement) => movement.kind);
    expect(kinds("success")).toEqual(["transfer", "fee"]);
    expect(kinds("reverted")).toEqual(["fee"]);
  });

  it("gives the endowment of a created contract to it", () => {
    const block = blockOf({
      transactions: [{ hash: hashOf(1), from: alice, to: null, value: 9n }],
    });
    const [endowment] = decode(block, [receiptOf({ contractAddress: token })]);
    expect(endowment).toMatchObject({ from: alice, to: token, amountAtomic: 9n });
  });

  it("adds gas, blob gas and the L1 data fee up to one fee", () => {
    const [fee] = decode(blockOf({}), [
      receiptOf({ blobGasUsed: 5n, blobGasPrice: 7n, l1FeeAtomic: 11n }),
    ]);
    expect(fee).toMatchObject({ kind: "fee", from: alice, amountAtomic: 2n * 3n + 5n * 7n + 11n });
  });
});
