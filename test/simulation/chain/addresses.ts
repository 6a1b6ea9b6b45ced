import { createHash } from "node:crypto";
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { addressOfKey } from "../../../src/chain/proof/hashing/cryptography.ts";
import { loadKeccak256 } from "../../../src/chain/proof/hashing/keccak.ts";
import type { Address } from "../../../src/domain/chain/address.ts";

const secp256k1 = await instantiateSecp256k1();
const keccak = await loadKeccak256();
const keys = new Map<Address, Uint8Array>();

/** An account with a key, made of its name. */
function accountOf(name: string): Address {
  const key = createHash("sha256").update(name).digest();
  const point = secp256k1.derivePublicKeyUncompressed(key);
  if (typeof point === "string") throw new Error(point);
  const address = addressOfKey(keccak, point.subarray(1));
  keys.set(address, key);
  return address;
}

/** What the key of an account signs: r, s and the parity. */
export function signWith(address: Address, hash: Uint8Array) {
  const key = keys.get(address);
  const signed = secp256k1.signMessageHashRecoverableCompact(key ?? new Uint8Array(32), hash);
  if (typeof signed === "string") throw new Error(`${address}: ${signed}`);
  const hex = Buffer.from(signed.signature).toString("hex");
  const parity = `0x${signed.recoveryId}`;
  return { r: `0x${hex.slice(0, 64)}`, s: `0x${hex.slice(64)}`, yParity: parity, v: parity };
}

function addressOf(kind: string, index: number): Address {
  return `0x${kind}${index.toString(16).padStart(40 - kind.length, "0")}`;
}

function addresses(kind: string, count: number): Address[] {
  return Array.from({ length: count }, (_, index) => addressOf(kind, index + 1));
}

/** Addresses that businesses may have watched, for some time or never. */
export const customers: readonly Address[] = Array.from({ length: 10 }, (_, index) =>
  accountOf(`customer ${index}`),
);
export const strangers: readonly Address[] = addresses("b0b", 4);

/** Tokens that may be configured, and one that never is. */
export const tokens: readonly Address[] = addresses("70ce", 3);
export const unknownToken: Address = addressOf("5ba3", 1);

/** Mints tokens and holds more of the coin than is ever moved. */
export const whale: Address = accountOf("whale");

/** What most transactions call. */
export const contract: Address = addressOf("c0de", 1);

export function holdingKey(walletAddress: string, assetAddress: string): string {
  return `${walletAddress}/${assetAddress}`;
}
