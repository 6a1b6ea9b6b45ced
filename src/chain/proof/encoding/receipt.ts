import { txTypes } from "../../../domain/chain/tx-types.ts";
import type { RpcLog, RpcReceipt } from "../../rpc/rpc-block.ts";
import { readHash } from "../../rpc/rpc-value.ts";
import { data, isThere, quantity, toBytes } from "./fields.ts";
import { encodeRlp, type RlpItem } from "./rlp.ts";

/**
 * The receipt's bytes, as the receipts' root commits to them (yellow paper, EIP-2718, EIP-658, and
 * what a type adds).
 */
export function encodeReceipt({ type, logs, raw }: RpcReceipt): Uint8Array {
  // Before Byzantium (EIP-658) a receipt had the state's root instead of a status. A root of one
  // byte or none would encode as a status does, and hide the outcome.
  const outcome = isThere(raw, "status")
    ? quantity(raw, "status")
    : toBytes(readHash(raw["root"], "root"));
  const fields: RlpItem[] = [
    outcome,
    quantity(raw, "cumulativeGasUsed"),
    data(raw, "logsBloom"),
    logs.map(logFields),
  ];
  if (type === 0) return encodeRlp(fields);
  return Buffer.concat([Uint8Array.of(type), encodeRlp([...fields, ...ownFields(type, raw)])]);
}

function ownFields(type: number, raw: RpcReceipt["raw"]): RlpItem[] {
  // OP stack since Canyon. Before Canyon the nonce is answered, but the root does not cover it.
  if (type === txTypes.deposit && isThere(raw, "depositReceiptVersion"))
    return [quantity(raw, "depositNonce"), quantity(raw, "depositReceiptVersion")];
  // CIP-66: the base fee in the token with which the fee is paid.
  if (type === txTypes.celo && isThere(raw, "baseFee")) return [quantity(raw, "baseFee")];
  return [];
}

function logFields({ address, topics, data: words }: RpcLog): RlpItem {
  return [toBytes(address), topics.map(toBytes), toBytes(words)];
}
