import { txTypes } from "../../../domain/chain/tx-types.ts";
import type { RpcTransaction } from "../../rpc/rpc-block.ts";
import { type RpcObject, readData, readList } from "../../rpc/rpc-value.ts";
import { arbitrumFields } from "./arbitrum-transaction.ts";
import { accessList, authorizationList, callFields, receiver, yParityKey } from "./call-fields.ts";
import { data, isThere, optional, quantity, toBytes } from "./fields.ts";
import { encodeRlp, type RlpItem } from "./rlp.ts";
import { accountAbstractionFields, tempoFields } from "./smart-transaction.ts";

/**
 * The transaction's bytes as the chain hashes them (yellow paper, EIP-2718 and what each type names), or null for a type
 * whose bytes are not known here, or are not answered whole.
 * @throws Fault `rpc_inconsistent` where a field that such a transaction has is missing or malformed
 */
export function encodeTransaction({
  type,
  raw,
}: Pick<RpcTransaction, "type" | "raw">): Uint8Array | null {
  if (type === 0) {
    const head = ["nonce", "gasPrice", "gas"].map((key) => quantity(raw, key));
    return encodeRlp([...head, ...callFields(raw), ...signature(raw, "v")]);
  }
  const fields = fieldsOf(type, raw);
  return fields === null ? null : Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
}

function fieldsOf(type: number, raw: RpcObject): RlpItem | null {
  switch (type) {
    case txTypes.deposit:
      return depositFields(raw);
    case txTypes.tempo:
      return tempoFields(raw);
    case txTypes.accountAbstraction:
      return accountAbstractionFields(raw);
    case txTypes.stable: {
      // Signed like a fee-market transaction; the two fields of its own come after the signature.
      const own = [quantity(raw, "nonceKey"), optional(raw, "timeoutTimestamp", quantity)];
      return [...feeMarket(raw), ...signature(raw), ...own];
    }
    default: {
      const signed = signedFields(type, raw);
      return signed === null ? arbitrumFields(type, raw) : [...signed, ...signature(raw)];
    }
  }
}

/** What a typed transaction signs; null for a type without a signature of this form. */
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

/** OP stack. Mantle has two fields more: the ETH that a deposit brings, which is a token there. */
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
