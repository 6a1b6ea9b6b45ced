import { generateKeyPairSync, sign } from "node:crypto";
import type { SealedPair, WebhookRegistration } from "./registration.ts";

/**
 * `privateKey` is PEM. `publicKey` has the form of Standard Webhooks 1.0: `whpk_` and base64 of its
 * 32 bytes.
 */
export type Ed25519Pair = { privateKey: string; publicKey: string };

/** Makes a key pair for `v1a` signatures (RFC 8032). */
export function newEd25519Pair(): Ed25519Pair {
  const pair = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  // RFC 8410, 4: the key's bytes are the end of its SubjectPublicKeyInfo.
  const publicKey = `whpk_${pair.publicKey.subarray(-32).toString("base64")}`;
  return { privateKey: pair.privateKey, publicKey };
}

/** Makes a key pair in its stored form. @param seal encrypts for the business */
export function sealedPair(seal: (plain: string) => string): SealedPair {
  const { privateKey, publicKey } = newEd25519Pair();
  return { ciphertext: seal(privateKey), publicKey };
}

type Shown = Pick<
  WebhookRegistration,
  "ed25519PublicKey" | "nextEd25519PublicKey" | "overlapEndsAt"
>;

/** The public key that verifies signatures now and, while a rotation overlaps, the next one. */
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
