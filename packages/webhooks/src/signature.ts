import { createHmac, type KeyObject, timingSafeEqual, verify } from "node:crypto";

/** HMAC-SHA256 of the parts, one after another. */
export function macOf(key: Uint8Array | string, parts: readonly (Uint8Array | string)[]): Buffer {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** Whether any of the given is an ed25519 signature (RFC 8032) of the parts, one after another. */
export function isSignedBy(
  publicKey: KeyObject,
  parts: readonly (Uint8Array | string)[],
  given: readonly Buffer[],
): boolean {
  const text = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return given.some((signature) => verify(null, text, publicKey, signature));
}

/** Whether any of the given is one of the expected. Every pair is compared, in constant time. */
export function isAnyEqual(given: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let isEqual = false;
  for (const left of given) {
    for (const right of expected) {
      if (left.length === right.length && timingSafeEqual(left, right)) isEqual = true;
    }
  }
  return isEqual;
}
