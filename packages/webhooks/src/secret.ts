import { createPublicKey, type KeyObject } from "node:crypto";
import { RefusedWebhook } from "./refusal.ts";

/** A key that verifies signatures: a secret, which can also sign, or a public key. */
export type Key = { kind: "hmac"; bytes: Buffer } | { kind: "ed25519"; publicKey: KeyObject };

/**
 * The shortest secret, in bytes. Chainbell's secrets have 32; Standard Webhooks asks for 24 to 64.
 */
const minBytes = 24;
const secretForm = /^whsec_[A-Za-z0-9+/]+={0,2}$/;
/** The base64 of 32 bytes. */
const publicKeyForm = /^whpk_[A-Za-z0-9+/]{43}=$/;

/**
 * Makes the key from a secret or a public key. A secret is `whsec_` and base64, as shown at
 * registration. A public key is `whpk_` and base64, as `GET /webhooks` shows it.
 * @throws RefusedWebhook `weak_secret` for anything else, including an empty or a short secret
 */
export function keyOf(secret: string): Key {
  if (publicKeyForm.test(secret)) {
    const x = Buffer.from(secret.slice("whpk_".length), "base64").toString("base64url");
    const key = { kty: "OKP", crv: "Ed25519", x };
    return { kind: "ed25519", publicKey: createPublicKey({ key, format: "jwk" }) };
  }
  const bytes = secretForm.test(secret)
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : null;
  if (bytes !== null && bytes.length >= minBytes) return { kind: "hmac", bytes };
  throw new RefusedWebhook(
    "weak_secret",
    "The secret is not one of Chainbell's: expected whsec_ and the base64 of at least 24 bytes, as shown at registration, or the public key whpk_.",
  );
}
