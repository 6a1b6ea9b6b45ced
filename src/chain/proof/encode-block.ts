import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { type RpcObject, readData, readList, readObject, readQuantity } from "../rpc/rpc-value.ts";
import { encodeRlp, type RlpItem } from "./rlp.ts";

// Headers, transactions and receipts in the bytes that consensus hashes (yellow paper, EIP-2718 and the EIPs named).

/** OP stack: a transaction that the parent chain brings. */
export const depositType = 0x7e;

export function toBytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex");
}

/**
 * The header's bytes. Fields of later forks are there when the endpoint tells them: EIP-1559, 4895, 4844 (two), 4788,
 * 7685, in that order.
 */
export function encodeHeader(block: RpcBlock): Uint8Array {
  const { raw } = block;
  const required = [
    data(raw, "parentHash"),
    data(raw, "sha3Uncles"),
    data(raw, "miner"),
    data(raw, "stateRoot"),
    data(raw, "transactionsRoot"),
    data(raw, "receiptsRoot"),
    data(raw, "logsBloom"),
    quantity(raw, "difficulty"),
    quantity(raw, "number"),
    quantity(raw, "gasLimit"),
    quantity(raw, "gasUsed"),
    quantity(raw, "timestamp"),
    data(raw, "extraData"),
    data(raw, "mixHash"),
    data(raw, "nonce"),
  ];
  const later: [string, typeof data][] = [
    ["baseFeePerGas", quantity],
    ["withdrawalsRoot", data],
    ["blobGasUsed", quantity],
    ["excessBlobGas", quantity],
    ["parentBeaconBlockRoot", data],
    ["requestsHash", data],
  ];
  const told = later.filter(([key]) => raw[key] !== undefined && raw[key] !== null);
  return encodeRlp([...required, ...told.map(([key, encode]) => encode(raw, key))]);
}

/** The transaction's bytes, or null for a type whose encoding is not known here. */
export function encodeTransaction({ type, raw }: RpcTransaction): Uint8Array | null {
  if (type === depositType) return typed(type, depositFields(raw));
  const signature = [quantity(raw, "r"), quantity(raw, "s")];
  if (type === 0) {
    const head = ["nonce", "gasPrice", "gas"].map((key) => quantity(raw, key));
    return encodeRlp([...head, ...callFields(raw), quantity(raw, "v"), ...signature]);
  }
  const fields = typedFields(type, raw);
  if (fields === null) return null;
  return typed(type, [...fields, quantity(raw, yParityKey(raw)), ...signature]);
}

/** What a typed transaction signs. */
function typedFields(type: number, raw: RpcObject): RlpItem[] | null {
  const chain = [quantity(raw, "chainId"), quantity(raw, "nonce")];
  const gas = () => quantity(raw, "gas");
  const fees = () => [quantity(raw, "maxPriorityFeePerGas"), quantity(raw, "maxFeePerGas"), gas()];
  const call = () => [...callFields(raw), accessList(raw)];
  switch (type) {
    // EIP-2930
    case 1:
      return [...chain, quantity(raw, "gasPrice"), gas(), ...call()];
    // EIP-1559
    case 2:
      return [...chain, ...fees(), ...call()];
    // EIP-4844
    case 3: {
      const hashes = readList(raw["blobVersionedHashes"], "blobVersionedHashes");
      const blobs = hashes.map((hash) => toBytes(readData(hash, "blobVersionedHash")));
      return [...chain, ...fees(), ...call(), quantity(raw, "maxFeePerBlobGas"), blobs];
    }
    // EIP-7702
    case 4:
      return [...chain, ...fees(), ...call(), authorizationList(raw)];
    default:
      return null;
  }
}

function depositFields(raw: RpcObject): RlpItem[] {
  const isSystem = raw["isSystemTx"] === true ? Uint8Array.of(1) : new Uint8Array(0);
  const mint = raw["mint"] === undefined || raw["mint"] === null ? "0x0" : raw["mint"];
  return [
    data(raw, "sourceHash"),
    data(raw, "from"),
    receiver(raw),
    quantity({ mint }, "mint"),
    quantity(raw, "value"),
    quantity(raw, "gas"),
    isSystem,
    data(raw, "input"),
  ];
}

/** The receipt's bytes as its root commits to them. */
export function encodeReceipt({ type, logs, raw }: RpcReceipt): Uint8Array {
  // Before Byzantium (EIP-658): the state's root in the place of the status.
  const outcome = raw["status"] === undefined ? data(raw, "root") : quantity(raw, "status");
  const fields: RlpItem[] = [
    outcome,
    quantity(raw, "cumulativeGasUsed"),
    data(raw, "logsBloom"),
    logs.map(logFields),
  ];
  if (type === 0) return encodeRlp(fields);
  const isVersioned = raw["depositReceiptVersion"] ?? null;
  // Since Canyon; before it, the nonce is told but is no part of the root.
  if (type === depositType && isVersioned !== null) {
    fields.push(quantity(raw, "depositNonce"), quantity(raw, "depositReceiptVersion"));
  }
  return typed(type, fields);
}

function logFields({ address, topics, data: words }: RpcLog): RlpItem {
  return [toBytes(address), topics.map(toBytes), toBytes(words)];
}

function typed(type: number, fields: RlpItem): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
}

function callFields(raw: RpcObject): RlpItem[] {
  return [receiver(raw), quantity(raw, "value"), data(raw, "input")];
}

function receiver(raw: RpcObject): Uint8Array {
  return raw["to"] === null || raw["to"] === undefined ? new Uint8Array(0) : data(raw, "to");
}

function accessList(raw: RpcObject): RlpItem {
  return readList(raw["accessList"] ?? [], "accessList").map((entry) => {
    const item = readObject(entry, "accessList");
    const keys = readList(item["storageKeys"], "storageKeys");
    return [data(item, "address"), keys.map((key) => toBytes(readData(key, "storageKey")))];
  });
}

function authorizationList(raw: RpcObject): RlpItem {
  return readList(raw["authorizationList"], "authorizationList").map((entry) => {
    const item = readObject(entry, "authorization");
    return [
      quantity(item, "chainId"),
      data(item, "address"),
      quantity(item, "nonce"),
      quantity(item, yParityKey(item)),
      quantity(item, "r"),
      quantity(item, "s"),
    ];
  });
}

/** Some nodes tell a typed transaction's parity only as `v`. */
function yParityKey(raw: RpcObject): "yParity" | "v" {
  return raw["yParity"] === undefined || raw["yParity"] === null ? "v" : "yParity";
}

function data(raw: RpcObject, key: string): Uint8Array {
  return toBytes(readData(raw[key], key));
}

/** Big-endian without leading zeros: zero is the empty string. */
function quantity(raw: RpcObject, key: string): Uint8Array {
  const digits = readQuantity(raw[key], key).toString(16);
  return digits === "0"
    ? new Uint8Array(0)
    : Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
}
