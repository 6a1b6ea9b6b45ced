import type { Keyring } from "../../src/domain/webhook/secret.ts";

/** Encryption keys of one repeated byte each; the first encrypts. */
export function keyringOf(first: number, ...others: number[]): Keyring {
  const keyOf = (byte: number) => ({ id: `key-${byte}`, bytes: new Uint8Array(32).fill(byte) });
  return [keyOf(first), ...others.map(keyOf)];
}
