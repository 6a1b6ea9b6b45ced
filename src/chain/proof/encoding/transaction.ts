import { txTypes } from "../../../domain/chain/tx-types.ts";
import { faultIn } from "../../../domain/fault.ts";
import type { RpcTransaction } from "../../rpc/rpc-block.ts";
import {
  type RpcObject,
  readData,
  readList,
  readQuantity,
  toQuantity,
} from "../../rpc/rpc-value.ts";
import { arbitrumFields } from "./arbitrum-transaction.ts";
import { accessList, authorizationList, callFields, receiver, yParityKey } from "./call-fields.ts";
import { absent, data, isThere, optional, quantity, toBytes } from "./fields.ts";
import { encodeRlp, type RlpItem } from "./rlp.ts";
import { accountAbstractionFields, tempoFields, tempoSigned } from "./smart-transaction.ts";

/**
 * The transaction's bytes as the chain hashes them (yellow paper, EIP-2718, and the source at each
 * type). Null: the type's encoding is not known, or the endpoint does not answer all of its fields.
 * @throws Fault `rpc_inconsistent` if a field of that type is missing or malformed
 */
export function encodeTransaction({
  type,
  raw,
}: Pick<RpcTransaction, "type" | "raw">): Uint8Array | null {
  if (type === 0) return encodeRlp([...legacyFields(raw), ...signature(raw, "v")]);
  const fields = fieldsOf(type, raw);
  return fields === null ? null : Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
}

/**
 * As encodeTransaction, for a type whose form may have changed since this was written. Null also if
 * a field is missing or unexpected.
 */
export function encodeLoose(transaction: Pick<RpcTransaction, "type" | "raw">): Uint8Array | null {
  try {
    return encodeTransaction(transaction);
  } catch (error) {
    if (faultIn(error)?.code === "rpc_inconsistent") return null;
    throw error;
  }
}

/**
 * The bytes that the sender signed with a secp256k1 key; null: the type has no such signature.
 * @throws Fault `rpc_inconsistent` as `encodeTransaction`
 */
export function encodeSigned({
  type,
  raw,
}: Pick<RpcTransaction, "type" | "raw">): Uint8Array | null {
  switch (type) {
    case 0:
      return encodeRlp(legacySigned(raw));
    case txTypes.tempo:
      return Buffer.concat([Uint8Array.of(type), encodeRlp(tempoSigned(raw))]);
    default: {
      const fields =
        type === txTypes.stable
          ? [...feeMarket(raw), ...stableFields(raw)]
          : signedFields(type, raw);
      return fields === null ? null : Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
    }
  }
}

/**
 * The signed fields of a legacy transaction. Since EIP-155 they include the chain id, which shows
 * in `v`.
 */
function legacySigned(raw: RpcObject): RlpItem[] {
  const fields = legacyFields(raw);
  const v = readQuantity(raw["v"], "v");
  if (v < 35n) return fields;
  const chainId = toQuantity((v - 35n) / 2n);
  return [...fields, quantity({ chainId }, "chainId"), absent, absent];
}

function legacyFields(raw: RpcObject): RlpItem[] {
  return [...["nonce", "gasPrice", "gas"].map((key) => quantity(raw, key)), ...callFields(raw)];
}

function fieldsOf(type: number, raw: RpcObject): RlpItem | null {
  switch (type) {
    case txTypes.deposit:
      return depositFields(raw);
    case txTypes.tempo:
      return tempoFields(raw);
    case txTypes.accountAbstraction:
      return accountAbstractionFields(raw);
    case txTypes.stable:
      return [...feeMarket(raw), ...signature(raw), ...stableFields(raw)];
    default: {
      const signed = signedFields(type, raw);
      return signed === null ? arbitrumFields(type, raw) : [...signed, ...signature(raw)];
    }
  }
}

/**
 * The fields that the sender of a typed transaction signs. Null: the type has no signature of this
 * form.
 */
function signedFields(type: number, raw: RpcObject): RlpItem[] | null {
  switch (type) {
    // EIP-2930
    case 1: {
      const gas = [quantity(raw, "gasPrice"), quantity(raw, "gas")];
      return [...chainAndNonce(raw), ...gas, ...callFields(raw), accessList(raw)];
    }
    // EIP-1559
    case 2:
      return feeMarket(raw);
    // EIP-4844
    case 3: {
      const hashes = readList(raw["blobVersionedHashes"], "blobVersionedHashes");
      const blobs = hashes.map((hash) => toBytes(readData(hash, "blobVersionedHash")));
      return [...feeMarket(raw), quantity(raw, "maxFeePerBlobGas"), blobs];
    }
    // EIP-7702
    case 4:
      return [...feeMarket(raw), authorizationList(raw)];
    // CIP-64
    case txTypes.celo:
      return [...feeMarket(raw), optional(raw, "feeCurrency", data)];
    default:
      return null;
  }
}

/**
 * The fields that Stable adds to a fee-market transaction. The sender signs them, and they follow
 * the signature.
 */
function stableFields(raw: RpcObject): RlpItem[] {
  return [quantity(raw, "nonceKey"), optional(raw, "timeoutTimestamp", quantity)];
}

function chainAndNonce(raw: RpcObject): RlpItem[] {
  return [quantity(raw, "chainId"), quantity(raw, "nonce")];
}

function feeMarket(raw: RpcObject): RlpItem[] {
  const gas = ["maxPriorityFeePerGas", "maxFeePerGas", "gas"].map((key) => quantity(raw, key));
  return [...chainAndNonce(raw), ...gas, ...callFields(raw), accessList(raw)];
}

function signature(raw: RpcObject, parity: "v" | "yParity" = yParityKey(raw)): RlpItem[] {
  return [parity, "r", "s"].map((key) => quantity(raw, key));
}

/**
 * A deposit of the OP stack. Mantle adds two fields for the ETH that a deposit brings, which is a
 * token there.
 */
function depositFields(raw: RpcObject): RlpItem[] {
  const isSystem = raw["isSystemTx"] === true ? Uint8Array.of(1) : new Uint8Array(0);
  const ethValue = isThere(raw, "ethValue") ? [quantity(raw, "ethValue")] : [];
  const ethTxValue = isThere(raw, "ethTxValue") ? [quantity(raw, "ethTxValue")] : [];
  return [
    data(raw, "sourceHash"),
    data(raw, "from"),
    receiver(raw),
    optional(raw, "mint", quantity),
    quantity(raw, "value"),
    quantity(raw, "gas"),
    isSystem,
    ...ethValue,
    data(raw, "input"),
    ...ethTxValue,
  ];
}
