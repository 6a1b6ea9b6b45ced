import { createChainSource } from "../../src/chain/chain-source.ts";
import {
  encodeHeader,
  encodeReceipt,
  encodeTransaction,
} from "../../src/chain/proof/encode-block.ts";
import type { Keccak } from "../../src/chain/proof/keccak.ts";
import { bloomOf } from "../../src/chain/proof/logs-bloom.ts";
import { indexedTrieRoot } from "../../src/chain/proof/trie-root.ts";
import { parseBlock, parseReceipt } from "../../src/chain/rpc/rpc-block.ts";
import { factsOf, proofOf } from "../../src/domain/chain/known-chains.ts";
import { faultIn } from "../../src/domain/fault.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { recordedNode } from "./recorded-node.ts";
import type { Sample } from "./sample.ts";

/** What came of one sample. `-`: not recorded, so nothing can be said. */
export type Row = {
  sample: string;
  chainId: number;
  /** The block's hash, rebuilt from its header. */
  hash: string;
  /** The transactions against the header's transactionsRoot. */
  roots: string;
  /** The receipts against the header's receiptsRoot and logsBloom. */
  receipts: string;
  /** The whole block through the chain source as the daemon uses it. */
  decode: string;
  traces: string;
  /** Whether the gas of the receipts is the gas of the header: what fees are reckoned from. */
  fee: string;
};

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export async function judge(keccak: Keccak, sample: Sample): Promise<Row> {
  const { name, chainId } = sample;
  const isFull = isWhole(sample);
  return {
    sample: name,
    chainId,
    hash: outcome(() => judgeHash(keccak, sample)),
    roots: hasTransactions(sample) ? outcome(() => judgeRoots(keccak, sample)) : "-",
    receipts: isFull ? outcome(() => judgeReceipts(keccak, sample)) : "-",
    decode: isFull ? await decode(sample, "off") : "-",
    traces: await judgeTraces(sample, isFull),
    fee: isFull ? outcome(() => judgeFee(sample)) : "-",
  };
}

/** A block may be recorded with the hashes of its transactions, or without any although its root commits to some. */
function hasTransactions({ block }: Sample): boolean {
  const transactions = block["transactions"];
  if (!Array.isArray(transactions)) return false;
  if (transactions.length === 0) return block["transactionsRoot"] === emptyRoot;
  return transactions.every((one) => typeof one === "object");
}

/** keccak-256 of the RLP of nothing: the root of a trie with nothing in it. */
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

function isWhole(sample: Sample): boolean {
  if (!hasTransactions(sample)) return false;
  const { transactions } = sample.block as { transactions: unknown[] };
  return (sample.receipts?.length ?? 0) === transactions.length;
}

function judgeHash(keccak: Keccak, { block }: Sample): string {
  const bare = parseBlock({ ...block, transactions: [] });
  return toHex(keccak(encodeHeader(bare))) === bare.hash ? "ok" : "differs";
}

function judgeRoots(keccak: Keccak, sample: Sample): string {
  const { transactions, raw } = parseBlock(sample.block);
  const encoded: Uint8Array[] = [];
  for (const transaction of transactions) {
    const bytes = encodeTransaction(transaction);
    if (bytes === null) return `type 0x${transaction.type.toString(16)}`;
    encoded.push(bytes);
  }
  return toHex(indexedTrieRoot(keccak, encoded)) === raw["transactionsRoot"] ? "ok" : "differs";
}

function judgeReceipts(keccak: Keccak, sample: Sample): string {
  const block = parseBlock(sample.block);
  const receipts = (sample.receipts ?? []).map(parseReceipt);
  const root = toHex(indexedTrieRoot(keccak, receipts.map(encodeReceipt)));
  if (root === block.raw["receiptsRoot"]) return "root";
  const bloom = toHex(
    bloomOf(
      keccak,
      receipts.flatMap(({ logs }) => logs),
    ),
  );
  return bloom === block.logsBloom ? "bloom" : "differs";
}

function judgeFee(sample: Sample): string {
  const receipts = (sample.receipts ?? []).map(parseReceipt);
  const gas = receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  return gas === BigInt(String(sample.block["gasUsed"])) ? "ok" : "differs";
}

async function judgeTraces(sample: Sample, isFull: boolean): Promise<string> {
  if (!isFull) return "-";
  if (sample.debugTraces !== null) return decode(sample, "debug");
  if (sample.parityTraces !== null) return decode(sample, "parity");
  return "-";
}

/** `ok` with the number of movements, or why the block is refused. */
async function decode(sample: Sample, tracing: "off" | "debug" | "parity"): Promise<string> {
  const { chainId, number } = sample;
  const source = createChainSource(
    { clock: systemClock, log: quiet, connect: () => recordedNode(sample) },
    {
      chainId,
      urls: ["http://recorded"],
      timeoutMs: 1_000,
      tracing,
      balanceCheck: true,
      proof: proofOf(chainId, null),
      ...factsOf(chainId),
    },
  );
  try {
    const { movements } = await source.loadBlock(number);
    return `ok ${movements.length}`;
  } catch (error) {
    return reasonOf(error);
  } finally {
    source.close();
  }
}

function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return reasonOf(error);
  }
}

/** Anything but a Fault is a defect of ours. */
function reasonOf(error: unknown): string {
  const fault = faultIn(error);
  if (fault === undefined) throw error;
  const part = fault.facts["part"];
  return typeof part === "string" ? `refused: ${part}` : `refused: ${fault.message}`;
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
