import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";

/** An object that an endpoint sent. Any field may be missing or wrong. */
export type RpcObject = Readonly<Record<string, unknown>>;

/**
 * Reads a value that an endpoint sent. This and the functions below throw Fault `rpc_inconsistent`
 * if the value does not have its JSON-RPC type. So a damaged answer never counts as an empty one.
 */
export function readObject(value: unknown, what: string): RpcObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(what);
  return value as RpcObject;
}

export function readList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw malformed(what);
  return value;
}

/**
 * Reads a QUANTITY of at most 256 bits. Also accepts leading zeros and a JSON number, which some
 * nodes write.
 */
export function readQuantity(value: unknown, what: string): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw malformed(what);
}

/** Writes a value of at least 0 as a QUANTITY. */
export function toQuantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** As readQuantity, but of at most `most`. */
export function readUpTo(most: bigint, value: unknown, what: string): bigint {
  const read = readQuantity(value, what);
  if (read > most) throw malformed(what);
  return read;
}

/** As readQuantity; 0 if there is no value. */
export function readOptionalQuantity(value: unknown, what: string): bigint {
  return value === undefined || value === null ? 0n : readQuantity(value, what);
}

/** Reads DATA of any length. */
export function readData(value: unknown, what: string): `0x${string}` {
  if (typeof value !== "string" || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) throw malformed(what);
  return value as `0x${string}`;
}

export function readHash(value: unknown, what: string): Hash {
  const data = readData(value, what);
  if (data.length !== 2 + 64) throw malformed(what);
  return data.toLowerCase() as Hash;
}

export function readAddress(value: unknown, what: string): Address {
  const data = readData(value, what);
  if (data.length !== 2 + 40) throw malformed(what);
  return data.toLowerCase() as Address;
}

/** As readAddress; null if there is none, as for the receiver of a deployment. */
export function readOptionalAddress(value: unknown, what: string): Address | null {
  return value === undefined || value === null ? null : readAddress(value, what);
}

function malformed(what: string): Fault {
  return new Fault("rpc_inconsistent", `The endpoint's answer is malformed (${what}).`, {
    facts: { part: what },
  });
}
