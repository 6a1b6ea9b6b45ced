import { type RpcObject, readData, readList, readObject } from "../../rpc/rpc-value.ts";
import { absent, data, isThere, quantity, toBytes } from "./fields.ts";
import type { RlpItem } from "./rlp.ts";

/** Receiver, value and input. */
export function callFields(raw: RpcObject): RlpItem[] {
  return [receiver(raw), quantity(raw, "value"), data(raw, "input")];
}

/** The receiver of a call; empty for a deployment. */
export function receiver(raw: RpcObject, key = "to"): Uint8Array {
  return isThere(raw, key) ? data(raw, key) : absent;
}

/** EIP-2930. */
export function accessList(raw: RpcObject): RlpItem {
  return readList(raw["accessList"] ?? [], "accessList").map((entry) => {
    const item = readObject(entry, "accessList");
    const keys = readList(item["storageKeys"], "storageKeys");
    return [data(item, "address"), keys.map((key) => toBytes(readData(key, "storageKey")))];
  });
}

/** EIP-7702. */
export function authorizationList(raw: RpcObject): RlpItem {
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

/** The field with a typed transaction's parity. Some nodes give it only as `v`. */
export function yParityKey(raw: RpcObject): "yParity" | "v" {
  return isThere(raw, "yParity") ? "yParity" : "v";
}
