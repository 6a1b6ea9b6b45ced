import { parseTransaction } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { encodeHeader } from "../../../../src/chain/proof/encoding/header.ts";
import { encodeReceipt } from "../../../../src/chain/proof/encoding/receipt.ts";
import { encodeTransaction } from "../../../../src/chain/proof/encoding/transaction.ts";
import { bloomOf } from "../../../../src/chain/proof/hashing/logs-bloom.ts";
import { indexedTrieRoot } from "../../../../src/chain/proof/hashing/trie-root.ts";
import { parseBlock, parseReceipt } from "../../../../src/chain/rpc/rpc-block.ts";
import { hex, payment, transferTopic, word } from "./changing.ts";
import type { JsonObject, Scene } from "./lie.ts";

/** A block with all that is answered about it. */
export type BlockParts = { block: JsonObject; receipts: JsonObject[]; traces: JsonObject[] };

/** The first account of every anvil. */
const payerKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

/**
 * Gives changed parts the roots, the bloom and the hash that belong to them: nothing in the block
 * shows that it was made up.
 */
export function seal({ keccak }: Scene, { block, receipts, traces }: BlockParts): BlockParts {
  const parsed = parseBlock(block);
  const encoded = parsed.transactions.map((one) => {
    const bytes = encodeTransaction(one);
    if (bytes === null) throw new Error(`a transaction of type ${one.type} cannot be sealed`);
    return bytes;
  });
  const numbered = numberLogs(receipts);
  const logs = numbered.flatMap((one) => one["logs"] as { address: string; topics: string[] }[]);
  const header = {
    ...block,
    transactionsRoot: toHex(indexedTrieRoot(keccak, encoded)),
    logsBloom: toHex(bloomOf(keccak, logs as Parameters<typeof bloomOf>[1])),
  };
  const receiptsRoot = toHex(
    indexedTrieRoot(
      keccak,
      numbered.map((one) => encodeReceipt(parseReceipt(one))),
    ),
  );
  const sealed = { ...header, receiptsRoot };
  const bytes = encodeHeader("ethereum", sealed);
  if (bytes === null) throw new Error("the header cannot be sealed");
  const hash = toHex(keccak(bytes));
  const ofBlock = { blockHash: hash };
  return {
    block: {
      ...sealed,
      hash,
      transactions: (block["transactions"] as JsonObject[]).map((one) => ({ ...one, ...ofBlock })),
    },
    receipts: numbered.map((one) => ({
      ...one,
      ...ofBlock,
      logs: (one["logs"] as JsonObject[]).map((log) => ({ ...log, ...ofBlock })),
    })),
    traces,
  };
}

function numberLogs(receipts: readonly JsonObject[]): JsonObject[] {
  let index = 0;
  return receipts.map((receipt) => {
    const logs = (receipt["logs"] as JsonObject[]).map((log) => ({
      ...log,
      logIndex: hex(index++),
    }));
    const logsBloom = `0x${"0".repeat(512)}`;
    return { ...receipt, logs, logsBloom: receipt["logsBloom"] ?? logsBloom };
  });
}

/**
 * The parts with one more transaction, truly signed by the payer, which pays coin and logs a
 * Transfer of a token.
 */
export async function withPayment(
  scene: Scene,
  parts: BlockParts,
  paid: { to: string; coin: bigint; token: bigint },
): Promise<BlockParts> {
  const { keccak, payer, token } = scene;
  const account = privateKeyToAccount(payerKey);
  const number = String(parts.block["number"]);
  const serialized = await account.signTransaction({
    chainId: 31_337,
    type: "eip1559",
    nonce: 900 + Number(number),
    gas: 90_000n,

    to: paid.to as `0x${string}`,
    value: paid.coin,

    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
  });
  const { r, s, yParity } = parseTransaction(serialized);
  const hash = toHex(keccak(Buffer.from(serialized.slice(2), "hex")));
  const { hash: blockHash } = parts.block;
  const place = { transactionIndex: hex(parts.receipts.length), blockNumber: number, blockHash };
  const gasPrice = hex(BigInt(String(parts.block["baseFeePerGas"])) + 1n);
  const transaction = {
    type: "0x2",
    chainId: "0x7a69",
    nonce: hex(900 + Number(number)),
    gas: hex(90_000),

    maxFeePerGas: hex(10n ** 11n),
    maxPriorityFeePerGas: "0x1",
    gasPrice,

    to: paid.to,
    value: hex(paid.coin),
    accessList: [],
    input: "0x",
    from: payer,

    r,
    s,
    yParity: hex(yParity ?? 0),
    v: hex(yParity ?? 0),
    hash,
    ...place,
  };
  const log = {
    address: token,
    topics: [transferTopic, word(payer), word(paid.to)],
    data: word(paid.token),

    transactionHash: hash,
    ...place,
    logIndex: "0x0",
    removed: false,
  };
  const logs = paid.token === 0n ? [] : [log];
  const before = parts.receipts.at(-1)?.["cumulativeGasUsed"] ?? "0x0";
  const receipt = {
    transactionHash: hash,
    ...place,
    type: "0x2",
    status: "0x1",
    from: payer,
    to: paid.to,

    contractAddress: null,
    gasUsed: "0x5208",
    effectiveGasPrice: gasPrice,
    cumulativeGasUsed: hex(BigInt(String(before)) + 21_000n),
    logs,
    logsBloom: toHex(bloomOf(keccak, logs as unknown as Parameters<typeof bloomOf>[1])),
  };
  return {
    block: {
      ...parts.block,
      transactions: [...(parts.block["transactions"] as JsonObject[]), transaction],
      gasUsed: receipt.cumulativeGasUsed,
    },
    receipts: [...parts.receipts, receipt],
    traces: [...parts.traces, { txHash: hash, result: payment(payer, paid.to, paid.coin) }],
  };
}

/** The parts without any transaction. */
export function emptied({ block }: BlockParts): BlockParts {
  return { block: { ...block, transactions: [], gasUsed: "0x0" }, receipts: [], traces: [] };
}
