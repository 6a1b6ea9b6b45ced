import { generateKeyPairSync, sign } from "node:crypto";
import type { SealedPair, WebhookRegistration } from "./registration.ts";

/**
 * `privateKey` is PEM. `publicKey` is as Standard Webhooks 1.0 writes it: `whpk_` and the base64 of
 * its 32 bytes.
 */
export type Ed25519Pair = { privateKey: string; publicKey: string };

/** A fresh pair for signatures `v1a` (RFC 8032). */
export function newEd25519Pair(): Ed25519Pair {
  const pair = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  // RFC 8410, 4: the key is the end of its SubjectPublicKeyInfo, as it is.
  const publicKey = `whpk_${pair.publicKey.subarray(-32).toString("base64")}`;
  return { privateKey: pair.privateKey, publicKey };
}

/**
 * A fresh pair as it is stored.
 * @param seal encrypts for the business
 */
export function sealedPair(seal: (plain: string) => string): SealedPair {
  const { privateKey, publicKey } = newEd25519Pair();
  return { ciphertext: seal(privateKey), publicKey };
}

type Shown = Pick<
  WebhookRegistration,
  "ed25519PublicKey" | "nextEd25519PublicKey" | "overlapEndsAt"
>;

/** The public key that verifies and, while a rotation overlaps, the one that follows it. */
export function publicKeysOf(webhook: Shown, nowMs: number) {
  const { ed25519PublicKey, nextEd25519PublicKey, overlapEndsAt } = webhook;
  const overlaps = overlapEndsAt !== null && overlapEndsAt.getTime() > nowMs;
  return overlaps
    ? { current: ed25519PublicKey, next: nextEd25519PublicKey }
    : { current: nextEd25519PublicKey ?? ed25519PublicKey, next: null };
}

/**
 * `v1a,` and the base64 of the signature.
 * @param privateKey PEM
 */
export function ed25519Signature(privateKey: string, signed: string): string {
  return `v1a,${sign(null, Buffer.from(signed), privateKey).toString("base64")}`;
}
