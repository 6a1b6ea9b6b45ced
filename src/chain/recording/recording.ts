import { gunzipSync, gzipSync } from "node:zlib";
import type { Address } from "../../domain/chain/address.ts";
import type { Tracing } from "../../domain/chain/block-proof.ts";
import { faultIn } from "../../domain/fault.ts";
import { invalidField } from "../../domain/text.ts";
import { parseHeader } from "../rpc/rpc-block.ts";
import {
  type RpcObject,
  readAddress,
  readData,
  readList,
  readObject,
  readQuantity,
  toQuantity,
} from "../rpc/rpc-value.ts";

/**
 * One block in the form of JSON-RPC. It has facts of the chain, without the wording of a node or a
 * provider. A part that was not recorded is null.
 */
export type Recording = {
  chainId: number;
  /** An answer of eth_getBlockByNumber. Its transactions may be hashes only. */
  block: RpcObject;
  /** In the order of the transactions. */
  receipts: readonly RpcObject[] | null;
  /** `kind` is the method by which the traces were asked for. */
  traces: { kind: Exclude<Tracing, "off">; answer: readonly unknown[] } | null;
  balances: readonly RecordedBalance[];
};

/** The coin of an account before and after a transaction or the block, in atomic units. */
export type RecordedBalance = {
  address: Address;
  /**
   * The index of the transaction between the two balances; null: the whole block is between them.
   */
  transaction: number | null;
  beforeAtomic: bigint;
  afterAtomic: bigint;
  /**
   * The nodes of the state trie from the root to the account after the block (EIP-1186). Null: no
   * endpoint gave them.
   */
  proof: readonly `0x${string}`[] | null;
};

const format = 1;

/** The largest file that is read, in bytes, unpacked. No block is larger. */
const maxBytes = 512 * 1024 * 1024;

/** The recording as a file: JSON, compressed with gzip. Equal recordings give equal bytes. */
export function packRecording(recording: Recording): Uint8Array {
  const { chainId, block, receipts, traces, balances } = recording;
  const document = {
    recording: format,
    chainId,
    block: factsOf(block, keepsAll),
    receipts: receipts === null ? null : factsOf(receipts, keepsAll),
    traces:
      traces === null ? null : { kind: traces.kind, answer: factsOf(traces.answer, movesNothing) },
    balances: balances.map(({ address, transaction, beforeAtomic, afterAtomic, proof }) => ({
      address,
      transaction,
      before: toQuantity(beforeAtomic),
      after: toQuantity(afterAtomic),
      proof,
    })),
  };
  return gzipSync(JSON.stringify(document), { level: 9 });
}

/**
 * Reads a file of packRecording, packed or unpacked.
 * @throws Fault `invalid_request` if it is no recording
 */
export function unpackRecording(bytes: Uint8Array): Recording {
  try {
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = isPacked ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes;
    return readRecording(JSON.parse(Buffer.from(text).toString("utf8")));
  } catch (error) {
    const reason = faultIn(error)?.facts["part"] ?? "it is no JSON";
    throw invalidField("file", `must be a recording of a block, and cannot be read: ${reason}`);
  }
}

function readRecording(document: unknown): Recording {
  const raw = readObject(document, "recording");
  if (raw["recording"] !== format) throw invalidField("file", "expected a recording of format 1");
  const { receipts, traces } = raw;
  parseHeader(raw["block"]);
  return {
    chainId: Number(readQuantity(raw["chainId"], "chainId")),
    block: readObject(raw["block"], "block"),
    receipts:
      receipts === null
        ? null
        : readList(receipts, "receipts").map((one) => readObject(one, "receipt")),
    traces: traces === null ? null : readTraces(readObject(traces, "traces")),
    balances: readList(raw["balances"], "balances").map(readBalance),
  };
}

function readTraces({ kind, answer }: RpcObject): NonNullable<Recording["traces"]> {
  const answered = readList(answer, "traces");
  return { kind: kind === "parity" ? "parity" : "debug", answer: answered };
}

function readBalance(given: unknown): RecordedBalance {
  const raw = readObject(given, "balance");
  const { transaction, proof } = raw;
  return {
    address: readAddress(raw["address"], "balance's address"),
    transaction: transaction === null ? null : Number(readQuantity(transaction, "transaction")),
    beforeAtomic: readQuantity(raw["before"], "balance before"),
    afterAtomic: readQuantity(raw["after"], "balance after"),
    proof:
      proof === null
        ? null
        : readList(proof, "proof").map((node) => readData(node, "proof's node")),
  };
}

/**
 * Fields of a frame that do not move coin. Nodes word some of them differently, so they are left
 * out.
 */
const beside = new Set(["code", "init", "input", "output", "logs", "revertReason"]);

type Keeps = (key: string) => boolean;

const keepsAll: Keeps = () => true;

const movesNothing: Keeps = (key) => !beside.has(key);

/** Matches hexadecimal and decimal digits and names of protocols, but no sentences. */
const fact = /^(?:0x[0-9a-fA-F]*|[0-9a-fA-F]+|[0-9.]+|[A-Za-z0-9]{1,16})$/;

/**
 * A value without a node's or provider's own words. An error stays an error, without its message.
 */
function factsOf(value: unknown, keeps: Keeps): unknown {
  if (typeof value === "string") return fact.test(value) ? value : null;
  if (Array.isArray(value)) return value.map((one) => factsOf(one, keeps));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => keeps(key));
  return Object.fromEntries(
    kept.map(([key, one]) => [
      key,
      key === "error" && typeof one === "string" ? "failed" : factsOf(one, keeps),
    ]),
  );
}
