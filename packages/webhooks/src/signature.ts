import { createHmac, type KeyObject, timingSafeEqual, verify } from "node:crypto";

/** The HMAC-SHA256 of the joined parts. */
export function macOf(key: Uint8Array | string, parts: readonly (Uint8Array | string)[]): Buffer {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** True if one of the given signatures is an ed25519 signature (RFC 8032) of the joined parts. */
export function isSignedBy(
  publicKey: KeyObject,
  parts: readonly (Uint8Array | string)[],
  given: readonly Buffer[],
): boolean {
  const text = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return given.some((signature) => verify(null, text, publicKey, signature));
}

/**
 * True if one of `given` equals one of `expected`. Compares all pairs of equal length, in constant
 * time.
 */
export function isAnyEqual(given: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let isEqual = false;
  for (const left of given) {
    for (const right of expected) {
      if (left.length === right.length && timingSafeEqual(left, right)) isEqual = true;
    }
  }
  return isEqual;
}
