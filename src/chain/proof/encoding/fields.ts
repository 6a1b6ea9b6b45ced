import { type RpcObject, readData, readQuantity } from "../../rpc/rpc-value.ts";

export function toBytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex");
}

/** The bytes of a DATA field. */
export function data(raw: RpcObject, key: string): Uint8Array {
  return toBytes(readData(raw[key], key));
}

/** A number in big-endian bytes without leading zeros. Zero is the empty string. */
export function quantity(raw: RpcObject, key: string): Uint8Array {
  return quantityOf(raw[key], key);
}

export function quantityOf(value: unknown, what: string): Uint8Array {
  const digits = readQuantity(value, what).toString(16);
  return digits === "0"
    ? new Uint8Array(0)
    : Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
}

/** A number in exactly `length` bytes. */
export function word(raw: RpcObject, key: string, length = 32): Uint8Array {
  const digits = readQuantity(raw[key], key).toString(16);
  return Buffer.from(digits.padStart(2 * length, "0"), "hex");
}

/** True if the field exists. Nodes leave a missing field out, or write null. */
export function isThere(raw: RpcObject, key: string): boolean {
  return raw[key] !== undefined && raw[key] !== null;
}

/** Stands for a missing field that has another field after it. */
export const absent = new Uint8Array(0);

export function optional(
  raw: RpcObject,
  key: string,
  encode: (raw: RpcObject, key: string) => Uint8Array,
): Uint8Array {
  return isThere(raw, key) ? encode(raw, key) : absent;
}
