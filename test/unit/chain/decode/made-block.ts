import { readDebugTraces } from "../../../../src/chain/decode/call-tracer.ts";
import { requireCoinLogs } from "../../../../src/chain/decode/coin-logs.ts";
import { decodeBlock } from "../../../../src/chain/decode/decode-block.ts";
import { withOutcomes } from "../../../../src/chain/decode/outcome.ts";
import { readParityTraces } from "../../../../src/chain/decode/trace-block.ts";
import { parseBlock, parseReceipt } from "../../../../src/chain/rpc/rpc-block.ts";
import type { ChainProfile } from "../../../../src/domain/chain/profile.ts";
import type { Movement } from "../../../../src/domain/money/movement.ts";

// Blocks of our own making with one transaction, as a node of the chain would answer them.

export const blockHash = `0x${"b".repeat(64)}`;
export const txHash = `0x${"1".repeat(64)}`;
export const alice = `0x${"a1".repeat(20)}` as const;
export const bob = `0x${"b0".repeat(20)}` as const;
export const carol = `0x${"ca".repeat(20)}` as const;
export const token = `0x${"70".repeat(20)}` as const;
export const zero = `0x${"0".repeat(40)}` as const;
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

export const hex = (amount: bigint | number) => `0x${amount.toString(16)}`;
export const word = (value: string | bigint | number) =>
  `0x${(typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0")}`;

/** A log of the transaction; its place is given by the order. */
export function logOf(address: string, topics: string[], data: string) {
  return { address, topics, data, blockHash, transactionHash: txHash };
}

export const transfer = (address: string, from: string, to: string, amount: bigint | number) =>
  logOf(address, [transferTopic, word(from), word(to)], word(amount));

type Made = {
  block?: object;
  transaction?: object;
  receipt?: object;
  logs?: object[];
  /** Of debug_traceBlockByHash: the top frame, without what every such frame has. */
  frame?: object;
  /** Of trace_block. */
  parity?: object[];
};

/**
 * Every movement of a block with that transaction, on a chain of that profile; without gas unless
 * it is given.
 */
export function decode(profile: ChainProfile, made: Made): Movement[] {
  const transaction = {
    hash: txHash,
    type: "0x2",
    from: alice,
    to: bob,
    value: "0x0",
    gas: "0x5208",
    ...made.transaction,
  };
  const block = parseBlock({
    number: "0x7",
    hash: blockHash,
    parentHash: blockHash,
    timestamp: "0x5",
    miner: zero,

    logsBloom: `0x${"0".repeat(512)}`,
    transactions: [transaction],
    ...made.block,
  });
  const logs = (made.logs ?? []).map((log, index) => ({ ...log, logIndex: hex(index) }));
  const receipts = [
    parseReceipt({
      transactionHash: txHash,
      blockHash,
      type: transaction.type,
      status: "0x1",

      gasUsed: "0x0",
      effectiveGasPrice: "0x0",
      contractAddress: null,
      logs,
      ...made.receipt,
    }),
  ];
  const settled = withOutcomes(block, receipts);
  const traced = { block, receipts: settled, untraced: new Set<never>() };
  const { from, to, value } = transaction;
  const top = { type: "CALL", from, to, value, ...made.frame };
  const traces =
    made.frame !== undefined
      ? readDebugTraces(traced, [{ txHash, result: top }])
      : made.parity === undefined
        ? null
        : readParityTraces(traced, made.parity);
  const aliases = new Map(profile.nativeAliases.map((alias) => [alias.address, alias]));
  requireCoinLogs(block, settled, aliases);
  return decodeBlock({ block, receipts: settled, traces }, { aliases, profile });
}

/** What is compared: kind, asset, from, to and amount. */
export const seen = (movements: readonly Movement[]) =>
  movements.map(({ kind, asset, from, to, amountAtomic }) => [kind, asset, from, to, amountAtomic]);
