import { describe, expect, it } from "vitest";
import { decodeBlock } from "../../../../src/chain/decode/decode-block.ts";
import { verifyBlock } from "../../../../src/chain/proof/verify-block.ts";
import { parseBlock, parseReceipt } from "../../../../src/chain/rpc/rpc-block.ts";
import type { NativeAlias } from "../../../../src/domain/chain/profile.ts";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import type { Movement } from "../../../../src/domain/money/movement.ts";

const blockHash = `0x${"b".repeat(64)}`;
const otherHash = `0x${"c".repeat(64)}`;
const token = `0x${"70".repeat(20)}` as const;
const alice = `0x${"a1".repeat(20)}`;
const bob = `0x${"b0".repeat(20)}`;
const zero = `0x${"0".repeat(40)}`;
const bloom = `0x${"0".repeat(512)}`;
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const depositTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const withdrawalTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";
const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
const hex = (amount: bigint | number) => `0x${amount.toString(16)}`;

function logOf(part: object) {
  const topics = [transferTopic, word(alice), word(bob)];
  const common = { address: token, blockHash, transactionHash: hashOf(1), logIndex: "0x0" };
  return { ...common, topics, data: `0x${"f".repeat(64)}`, ...part };
}

function hashOf(index: number): string {
  return `0x${index.toString().padStart(64, "0")}`;
}

function receiptOf(part: object) {
  const costs = { gasUsed: "0x2", effectiveGasPrice: "0x3", cumulativeGasUsed: "0x2" };
  const common = { transactionHash: hashOf(1), blockHash, status: "0x1", contractAddress: null };
  return { ...common, logs: [], ...costs, ...part };
}

function transactionOf(part: object) {
  return { hash: hashOf(1), from: alice, to: bob, value: "0x0", ...part };
}

function blockOf(part: object) {
  const header = { number: "0x7", hash: blockHash, parentHash: otherHash, timestamp: "0x5" };
  return { ...header, miner: zero, logsBloom: bloom, transactions: [transactionOf({})], ...part };
}

const verify = (
  block: object,
  receipts: object[],
  { proof = "bloom", hasLogGaps = false }: { proof?: "root" | "bloom"; hasLogGaps?: boolean } = {},
) => verifyBlock(parseBlock(block), receipts.map(parseReceipt), { receipts: proof, hasLogGaps });

function decode(
  block: object,
  receipts: object[],
  rules: { aliases?: NativeAlias[]; paysFeeRecipient?: boolean } = {},
): Movement[] {
  const aliases = new Map(rules.aliases?.map((alias) => [alias.address, alias]));
  const loaded = {
    block: parseBlock(block),
    receipts: receipts.map(parseReceipt),
    traces: null,
  };
  const paysFeeRecipient = rules.paysFeeRecipient ?? true;
  return decodeBlock(loaded, { aliases, profile: { ...profileOf(1), paysFeeRecipient } });
}

describe("verifying a block", () => {
  it("accepts a block whose parts belong together", () => {
    const logs = [logOf({ logIndex: "0x0" }), logOf({ logIndex: "0x1" })];
    expect(() => verify(blockOf({ logsBloom: "0x01" }), [receiptOf({ logs })])).not.toThrow();
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
    [
      "a transaction is repeated, with its value",
      blockOf({ transactions: [transactionOf({ value: "0x5" }), transactionOf({ value: "0x5" })] }),
      [receiptOf({}), receiptOf({})],
    ],
    ["a log index appears twice", blockOf({}), [receiptOf({ logs: [logOf({}), logOf({})] })]],
    ["a log is left out", blockOf({}), [receiptOf({ logs: [logOf({ logIndex: "0x1" })] })]],
    ["the bloom promises logs that are not there", blockOf({ logsBloom: "0x01" }), [receiptOf({})]],
    [
      "a transaction has the zero hash",
      blockOf({ transactions: [{ hash: hashOf(0), from: alice, to: bob, value: "0x0" }] }),
      [receiptOf({ transactionHash: hashOf(0) })],
    ],
    ["the hash is null, as in a pending block", blockOf({ hash: null, number: null }), []],
    ["the logs are cut off", blockOf({}), [receiptOf({ logs: null })]],
    ["an amount is no number", blockOf({}), [receiptOf({ gasUsed: "lots" })]],
    ["an amount has more than 256 bits", blockOf({}), [receiptOf({ gasUsed: hex(2n ** 256n) })]],
    [
      "the height is more than a ledger can store",
      blockOf({ number: hex(2n ** 63n) }),
      [receiptOf({})],
    ],
    [
      "the time is after every date",
      blockOf({ timestamp: hex(8_640_000_000_001n) }),
      [receiptOf({})],
    ],
  ];
  it.each(broken)("refuses a block where %s", (_, block, receipts) => {
    expect(() => verify(block, receipts)).toThrow(
      expect.objectContaining({ code: "rpc_inconsistent" }),
    );
  });

  const indexesOf = (receipts: ReturnType<typeof verify>) => {
    const profile = profileOf(1);
    const loaded = { block: parseBlock(blockOf({})), receipts, traces: null };
    return decodeBlock(loaded, { aliases: new Map(), profile }).map(({ logIndex }) => logIndex);
  };

  it("counts log indexes itself where the receipts are proved by their root, whatever the endpoint says", () => {
    const receipts = [receiptOf({ logs: [logOf({}), logOf({})] })];
    expect(indexesOf(verify(blockOf({}), receipts, { proof: "root" }))).toEqual([0, 1, null]);
  });

  it("leaves the gaps between log indexes as the chain counts them", () => {
    const receipts = [
      receiptOf({ logs: [logOf({ logIndex: "0x2" }), logOf({ logIndex: "0x9" })] }),
    ];
    expect(indexesOf(verify(blockOf({}), receipts, { hasLogGaps: true }))).toEqual([2, 9, null]);
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
    const approval = logOf({ topics: [hashOf(1), word(alice), word(bob)] });
    const movements = decode(blockOf({}), [receiptOf({ logs: [erc721, approval] })]);
    expect(movements.map((movement) => movement.kind)).toEqual(["fee"]);
  });

  it("counts the value of a successful transaction with any calldata, and of a failed one only its fee", () => {
    const transaction = { hash: hashOf(1), from: alice, to: bob, value: "0x9", input: "0x1234" };
    const kinds = (status: string) =>
      decode(blockOf({ transactions: [transaction] }), [receiptOf({ status })]).map(
        (movement) => movement.kind,
      );
    expect(kinds("0x1")).toEqual(["transfer", "fee"]);
    expect(kinds("0x0")).toEqual(["fee"]);
  });

  it("gives the endowment of a created contract to it", () => {
    const block = blockOf({
      transactions: [{ hash: hashOf(1), from: alice, to: null, value: "0x9" }],
    });
    const [endowment] = decode(block, [receiptOf({ contractAddress: token })]);
    expect(endowment).toMatchObject({ from: alice, to: token, amountAtomic: 9n });
  });

  it("adds gas, blob gas and the fees of an OP-stack chain up to one fee", () => {
    const feeOf = (part: object) => decode(blockOf({}), [receiptOf(part)])[0];
    const blob = { blobGasUsed: "0x5", blobGasPrice: "0x7", l1Fee: "0xb" };
    expect(feeOf(blob)).toMatchObject({ kind: "fee", from: alice, amountAtomic: 6n + 35n + 11n });
    const operator = { operatorFeeConstant: "0x3", operatorFeeScalar: hex(2_000_000) };
    expect(feeOf(operator)).toMatchObject({ amountAtomic: 6n + 3n + 4n });
    expect(feeOf({ ...operator, daFootprintGasScalar: "0x1" })).toMatchObject({
      amountAtomic: 6n + 3n + 400_000_000n,
    });
  });

  it("takes the fee in a token from a transaction that pays it so", () => {
    const transaction = { hash: hashOf(1), from: alice, to: bob, value: "0x0", feeCurrency: token };
    expect(decode(blockOf({ transactions: [transaction] }), [receiptOf({})])).toMatchObject([
      { kind: "fee", asset: token, from: alice, amountAtomic: 6n },
    ]);
  });

  const amount = word(hex(7));
  const deposit = (part = {}) =>
    logOf({ topics: [depositTopic, word(alice)], data: amount, ...part });
  const withdrawal = () => logOf({ topics: [withdrawalTopic, word(alice)], data: amount });
  const transfer = (from: string, to: string) =>
    logOf({ topics: [transferTopic, word(from), word(to)], data: amount });
  const loaded = (logs: object[]) =>
    decode(blockOf({}), [receiptOf({ logs })])
      .filter((movement) => movement.kind !== "fee")
      .map(({ kind, from, to }) => [kind, from, to]);

  it("takes a Deposit or Withdrawal of a WETH for a mint or a burn", () => {
    expect(loaded([deposit(), withdrawal()])).toEqual([
      ["wrap", zero, alice],
      ["wrap", alice, zero],
    ]);
  });

  it("counts a wrapping once where the token logs a Transfer for it too, in either order", () => {
    expect(loaded([deposit(), transfer(zero, alice)])).toEqual([["transfer", zero, alice]]);
    expect(loaded([transfer(zero, alice), deposit()])).toEqual([["transfer", zero, alice]]);
    expect(loaded([transfer(alice, zero), withdrawal()])).toEqual([["transfer", alice, zero]]);
    expect(
      loaded([deposit(), transfer(zero, alice), deposit(), transfer(zero, alice)]),
    ).toHaveLength(2);
  });

  it("counts a wrapping beside a Transfer that is of another holder, amount or token", () => {
    expect(loaded([deposit(), transfer(zero, bob)])).toHaveLength(2);
    expect(loaded([deposit({ data: word(hex(8)) }), transfer(zero, alice)])).toHaveLength(2);
    expect(loaded([deposit({ address: bob }), transfer(zero, alice)])).toHaveLength(2);
    expect(loaded([deposit(), deposit(), transfer(zero, alice)])).toHaveLength(2);
  });

  it("counts the chain's own coin once where a contract shows it as a token", () => {
    const logs = [transfer(alice, bob)];
    const transaction = { hash: hashOf(1), from: alice, to: bob, value: "0x7" };
    const block = blockOf({ transactions: [transaction] });
    const movements = (aliases: NativeAlias[], of = block) =>
      decode(of, [receiptOf({ logs })], { aliases })
        .filter((movement) => movement.kind === "transfer")
        .map((movement) => [movement.asset, movement.amountAtomic]);
    expect(movements([{ address: token, logs: "repeats", decimals: 18 }])).toEqual([
      ["native", 7n],
    ]);
    // CELO's transfer moves the coin although the transaction's own value is zero.
    expect(movements([{ address: token, logs: "moves", decimals: 18 }], blockOf({}))).toEqual([
      ["native", 7n],
    ]);
  });

  it("takes beacon withdrawals, in units of 10^9, and the fee recipient's tips for income", () => {
    const block = blockOf({
      miner: bob,
      baseFeePerGas: "0x1",
      withdrawals: [{ index: "0x5", validatorIndex: "0x1", address: alice, amount: "0x3" }],
    });
    expect(decode(block, [receiptOf({})]).filter(({ kind }) => kind === "income")).toMatchObject([
      { to: alice, amountAtomic: 3_000_000_000n, source: { kind: "withdrawal", index: 5n } },
      { to: bob, amountAtomic: (3n - 1n) * 2n, source: { kind: "fees", blockHash } },
    ]);
    const elsewhere = decode(block, [receiptOf({})], { paysFeeRecipient: false });
    expect(elsewhere.filter(({ kind }) => kind === "income")).toHaveLength(1);
  });

  it("makes an L2 deposit an income of its sender, also where its call failed, and takes no fee for it", () => {
    const transaction = {
      hash: hashOf(1),
      type: "0x7e",
      from: alice,
      to: bob,
      value: "0x9",
      mint: "0x9",
    };
    const kinds = (status: string) =>
      decode(blockOf({ transactions: [transaction] }), [
        receiptOf({ status, effectiveGasPrice: "0x0" }),
      ]).map(({ kind, to }) => [kind, to]);
    expect(kinds("0x1")).toEqual([
      ["income", alice],
      ["transfer", bob],
    ]);
    expect(kinds("0x0")).toEqual([["income", alice]]);
  });
});
