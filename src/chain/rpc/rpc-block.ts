import type { Address } from "../../domain/chain/address.ts";
import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import { hasValue } from "../../domain/chain/tx-types.ts";
import {
  type RpcObject,
  readAddress,
  readData,
  readHash,
  readList,
  readObject,
  readOptionalAddress,
  readOptionalQuantity,
  readQuantity,
  readUpTo,
} from "./rpc-value.ts";

// Blocks and receipts as an endpoint answers them. Values for computing are typed. `raw` is the
// answer itself, which the proofs encode.

/** The part of a header that decides how its block shows moves of the coin. */
export type ListedHeader = {
  /** The hash of the block's access list (EIP-7928); null: it has none. */
  accessListHash: Hash | null;
};

/** A head as it was announced or asked for, without its contents. */
export type AnnouncedHead = BlockHeader &
  ListedHeader & {
    /** True if the header says that the block has no transactions. */
    isEmpty: boolean;
  };

export type RpcTransaction = {
  hash: Hash;
  /** EIP-2718; 0 is a legacy transaction. */
  type: number;
  from: Address;
  to: Address | null;
  value: bigint;
  /** The gas limit; 0: the endpoint does not name it. */
  gas: bigint;
  /** On an OP-stack chain: the coin that a deposit makes for its sender. */
  mint: bigint;
  raw: RpcObject;
};

type RpcWithdrawal = { index: bigint; address: Address; amountAtomic: bigint };

export type RpcBlock = BlockHeader &
  ListedHeader & {
    miner: Address;
    baseFee: bigint;
    logsBloom: `0x${string}`;
    transactions: RpcTransaction[];
    withdrawals: RpcWithdrawal[];
    raw: RpcObject;
  };

export type RpcLog = {
  address: Address;
  topics: Hash[];
  data: `0x${string}`;
  logIndex: number;
  blockHash: Hash;
  transactionHash: Hash;
};

export type RpcReceipt = {
  transactionHash: Hash;
  blockHash: Hash;
  type: number;
  /** Null: the receipt is from before Byzantium (EIP-658), and does not say. */
  isSuccess: boolean | null;
  contractAddress: Address | null;
  gasUsed: bigint;
  effectiveGasPrice: bigint;
  /**
   * The sender's fees besides gas: blob gas (EIP-4844), and on an OP-stack chain data and operator
   * fees.
   */
  otherFees: bigint;
  logs: RpcLog[];
  raw: RpcObject;
};

/** Withdrawals are in units of 10^9 (EIP-4895). */
const gwei = 10n ** 9n;

/** The largest height that the ledger can store. */
const maxHeight = 2n ** 63n - 1n;

/** The time of the latest date that there is, in seconds. */
const maxSeconds = 8_640_000_000_000n;

/** A header, of a whole block or alone. */
export function parseHeader(answer: unknown): BlockHeader {
  const raw = readObject(answer, "block");
  return {
    number: readUpTo(maxHeight, raw["number"], "block number"),
    hash: readHash(raw["hash"], "block hash"),
    parentHash: readHash(raw["parentHash"], "parent hash"),
    timeMs: Number(readUpTo(maxSeconds, raw["timestamp"], "timestamp")) * 1000,
  };
}

/**
 * The hash of a header's access list; null: none. Zeros count as none: Monad has such a field
 * without a list (category-labs/monad#2439).
 */
export function readAccessListHash(raw: RpcObject): Hash | null {
  const given = raw["blockAccessListHash"];
  if (given === undefined || given === null) return null;
  const hash = readHash(given, "blockAccessListHash");
  return BigInt(hash) === 0n ? null : hash;
}

/** keccak-256 of the RLP of the empty string: the root of an empty trie. */
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

export function parseHead(answer: unknown): AnnouncedHead {
  const raw = readObject(answer, "block");
  return {
    ...parseHeader(raw),
    accessListHash: readAccessListHash(raw),
    isEmpty: raw["transactionsRoot"] === emptyRoot,
  };
}

export function parseBlock(answer: unknown): RpcBlock {
  const raw = readObject(answer, "block");
  return {
    ...parseHeader(raw),
    accessListHash: readAccessListHash(raw),
    miner: readAddress(raw["miner"], "miner"),
    baseFee: readOptionalQuantity(raw["baseFeePerGas"], "baseFeePerGas"),
    logsBloom: readData(raw["logsBloom"], "logsBloom"),
    transactions: readList(raw["transactions"], "transactions").map(parseTransaction),
    withdrawals: readList(raw["withdrawals"] ?? [], "withdrawals").map(parseWithdrawal),
    raw,
  };
}

function parseTransaction(answer: unknown): RpcTransaction {
  const raw = readObject(answer, "transaction");
  const type = Number(readOptionalQuantity(raw["type"], "transaction type"));
  return {
    hash: readHash(raw["hash"], "transaction hash"),
    type,
    from: readAddress(raw["from"], "from"),
    to: readOptionalAddress(raw["to"], "to"),
    value: readValue(type, raw),
    gas: readOptionalQuantity(raw["gas"], "gas"),
    mint: readOptionalQuantity(raw["mint"], "mint"),
    raw,
  };
}

/**
 * The transaction's value; 0 for one with a list of calls. X Layer's type 0x7b is such a one, and
 * not Celo's.
 */
function readValue(type: number, raw: RpcObject): bigint {
  const isOfCalls = raw["calls"] !== undefined || raw["tx"] !== undefined;
  const read = hasValue(type) && !isOfCalls ? readQuantity : readOptionalQuantity;
  return read(raw["value"], "value");
}

/**
 * The object with the fields of an EIP-8130 transaction. Base's nodes put them in `tx`, with plain
 * numbers. Others put them beside the other fields.
 */
export function accountAbstractionBody(raw: RpcObject): RpcObject {
  const { tx = null } = raw;
  return tx === null ? raw : readObject(tx, "tx");
}

function parseWithdrawal(answer: unknown): RpcWithdrawal {
  const raw = readObject(answer, "withdrawal");
  return {
    index: readQuantity(raw["index"], "withdrawal index"),
    address: readAddress(raw["address"], "withdrawal address"),
    amountAtomic: readQuantity(raw["amount"], "withdrawal amount") * gwei,
  };
}

export function parseReceipt(answer: unknown): RpcReceipt {
  const raw = readObject(answer, "receipt");
  const gasUsed = readQuantity(raw["gasUsed"], "gasUsed");
  const blobGas = readOptionalQuantity(raw["blobGasUsed"], "blobGasUsed");
  const blobPrice = readOptionalQuantity(raw["blobGasPrice"], "blobGasPrice");
  const dataFee = readOptionalQuantity(raw["l1Fee"], "l1Fee");
  // On an OP-stack chain blobGasUsed measures data (Jovian), and has no price.
  return {
    transactionHash: readHash(raw["transactionHash"], "transactionHash"),
    blockHash: readHash(raw["blockHash"], "blockHash"),
    type: Number(readOptionalQuantity(raw["type"], "receipt type")),
    isSuccess: readStatus(raw["status"]),
    contractAddress: readOptionalAddress(raw["contractAddress"], "contractAddress"),
    gasUsed,
    effectiveGasPrice: readOptionalQuantity(raw["effectiveGasPrice"], "effectiveGasPrice"),
    otherFees: blobGas * blobPrice + dataFee + operatorFee(raw, gasUsed),
    logs: readList(raw["logs"], "logs").map(parseLog),
    raw,
  };
}

function readStatus(status: unknown): boolean | null {
  return status === undefined || status === null ? null : readQuantity(status, "status") === 1n;
}

/**
 * OP stack, Isthmus: constant + gas * scalar / 10^6. Since Jovian, which has a field of its own:
 * gas * scalar * 100.
 */
function operatorFee(raw: RpcObject, gasUsed: bigint): bigint {
  const constant = readOptionalQuantity(raw["operatorFeeConstant"], "operatorFeeConstant");
  const scalar = readOptionalQuantity(raw["operatorFeeScalar"], "operatorFeeScalar");
  const isJovian = raw["daFootprintGasScalar"] !== undefined;
  const perGas = isJovian ? gasUsed * scalar * 100n : (gasUsed * scalar) / 1_000_000n;
  return constant + perGas;
}

export function parseLog(answer: unknown): RpcLog {
  const raw = readObject(answer, "log");
  return {
    address: readAddress(raw["address"], "log address"),
    topics: readList(raw["topics"], "topics").map((topic) => readHash(topic, "topic")),
    data: readData(raw["data"], "log data"),
    logIndex: Number(readQuantity(raw["logIndex"], "logIndex")),
    blockHash: readHash(raw["blockHash"], "log's blockHash"),
    transactionHash: readHash(raw["transactionHash"], "log's transactionHash"),
  };
}
