import { generateKeyPairSync, sign } from "node:crypto";

/** `privateKey` is PEM; `publicKey` as Standard Webhooks 1.0 writes it: `whpk_` and the base64 of its 32 bytes. */
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

/** `v1a,` and the base64 of the signature. @param privateKey PEM */
export function ed25519Signature(privateKey: string, signed: string): string {
  return `v1a,${sign(null, Buffer.from(signed), privateKey).toString("base64")}`;
}
