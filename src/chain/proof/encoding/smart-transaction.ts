import { accountAbstractionBody } from "../../rpc/rpc-block.ts";
import { type RpcObject, readData, readList, readObject } from "../../rpc/rpc-value.ts";
import { accessList, receiver } from "./call-fields.ts";
import { absent, data, isThere, optional, quantity, toBytes } from "./fields.ts";
import type { RlpItem } from "./rlp.ts";
import { tempoPrimitiveSignature, tempoSignature } from "./tempo-signature.ts";

/**
 * Tempo's type 0x76: several calls, a fee token, and a signature of any of its kinds
 * (tempoxyz/tempo, tempo_transaction.rs).
 */
export function tempoFields(raw: RpcObject): RlpItem[] {
  const paid = { token: optional(raw, "feeToken", data), signature: feePayerSignature(raw) };
  return [...commonFields(raw, paid), tempoSignature(readObject(raw["signature"], "signature"))];
}

/**
 * The fields that the sender signs. If another account pays the fee, that account chooses the
 * token, so the token is not signed here.
 */
export function tempoSigned(raw: RpcObject): RlpItem[] {
  return isThere(raw, "feePayerSignature")
    ? commonFields(raw, { token: absent, signature: Uint8Array.of(0) })
    : commonFields(raw, { token: optional(raw, "feeToken", data), signature: absent });
}

function commonFields(raw: RpcObject, paid: { token: RlpItem; signature: RlpItem }): RlpItem[] {
  const fields: RlpItem[] = [
    ...["chainId", "maxPriorityFeePerGas", "maxFeePerGas", "gas"].map((key) => quantity(raw, key)),
    objects(raw, "calls").map(tempoCall),
    accessList(raw),
    ...["nonceKey", "nonce"].map((key) => quantity(raw, key)),
    ...["validBefore", "validAfter"].map((key) => optional(raw, key, quantity)),
    paid.token,
    paid.signature,
    objects(raw, "aaAuthorizationList").map(tempoAuthorization),
  ];
  if (isThere(raw, "keyAuthorization"))
    fields.push(keyAuthorization(readObject(raw["keyAuthorization"], "keyAuthorization")));
  return fields;
}

/** The call's input: nodes write it as `input`, and newer ones also as `data`. */
function tempoCall(call: RpcObject): RlpItem[] {
  const input = isThere(call, "input") ? "input" : "data";
  return [receiver(call), optional(call, "value", quantity), data(call, input)];
}

function feePayerSignature(raw: RpcObject): RlpItem {
  if (!isThere(raw, "feePayerSignature")) return absent;
  const signature = readObject(raw["feePayerSignature"], "feePayerSignature");
  const parity = isThere(signature, "v") ? "v" : "yParity";
  return [parity, "r", "s"].map((key) => quantity(signature, key));
}

function tempoAuthorization(item: RpcObject): RlpItem[] {
  const signature = tempoSignature(readObject(item["signature"], "authorization signature"));
  return [quantity(item, "chainId"), data(item, "address"), quantity(item, "nonce"), signature];
}

const keyTypes = ["secp256k1", "p256", "webAuthn"];

function keyAuthorization(item: RpcObject): RlpItem[] {
  const keyType = `0x${keyTypes.indexOf(String(item["keyType"])).toString(16)}`;
  const later: (RlpItem | null)[] = [
    isThere(item, "expiry") ? quantity(item, "expiry") : null,
    isThere(item, "limits") ? objects(item, "limits").map(tokenLimit) : null,
    isThere(item, "allowedCalls") ? objects(item, "allowedCalls").map(callScope) : null,
    isThere(item, "witness") ? data(item, "witness") : null,
    item["isAdmin"] === true ? Uint8Array.of(1) : null,
    isThere(item, "account") ? data(item, "account") : null,
  ];
  const last = later.findLastIndex((field) => field !== null);
  const fields = [
    quantity(item, "chainId"),
    quantity({ keyType }, "keyType"),
    data(item, "keyId"),
    ...later.slice(0, last + 1).map((field) => field ?? absent),
  ];
  const signature = readObject(item["signature"], "keyAuthorization signature");
  return [fields, tempoPrimitiveSignature(signature)];
}

function tokenLimit(item: RpcObject): RlpItem[] {
  const period = optional(item, "period", quantity);
  const fields = [data(item, "token"), quantity(item, "limit")];
  return period.length === 0 ? fields : [...fields, period];
}

function callScope(item: RpcObject): RlpItem[] {
  const rules = objects(item, "selectorRules").map((rule) => [
    data(rule, "selector"),
    readList(rule["recipients"] ?? [], "recipients").map((one) =>
      toBytes(readData(one, "recipient")),
    ),
  ]);
  return [data(item, "target"), rules];
}

/**
 * EIP-8130's type 0x79 (the EIP of 2026-08-22; base/base#4330 for its window). It has phases of
 * calls, and its payer may be another account. Older ones had an `expiry` instead of the window,
 * and no metadata. Calls have a value if they show one. Null: it changes its account, whose
 * encoding was never recorded.
 */
export function accountAbstractionFields(raw: RpcObject): RlpItem[] | null {
  const body = accountAbstractionBody(raw);
  if (objects(body, "accountChanges").length > 0) return null;
  const isOld = isThere(body, "expiry");
  const window = isOld ? ["expiry"] : ["validAfter", "validBefore"];
  const gas = isThere(body, "gas") ? "gas" : "gasLimit";
  const auth = (key: string) => optional(isThere(body, key) ? body : raw, key, data);
  return [
    quantity(body, "chainId"),
    optional(body, "sender", data),
    ...["nonceKey", "nonceSequence"].map((key) => quantity(body, key)),
    ...window.map((key) => optional(body, key, quantity)),
    ...["maxPriorityFeePerGas", "maxFeePerGas", gas].map((key) => quantity(body, key)),
    [],
    readList(body["calls"] ?? [], "calls").map((phase) =>
      readList(phase, "phase").map((call) => phaseCall(readObject(call, "call"))),
    ),
    ...(isOld ? [] : [optional(body, "metadata", data)]),
    optional(body, "payer", data),
    auth("senderAuth"),
    auth("payerAuth"),
  ];
}

function phaseCall(call: RpcObject): RlpItem[] {
  const value = isThere(call, "value") ? [quantity(call, "value")] : [];
  return [data(call, "to"), ...value, data(call, "data")];
}

function objects(raw: RpcObject, key: string): RpcObject[] {
  return readList(raw[key] ?? [], key).map((item) => readObject(item, key));
}
