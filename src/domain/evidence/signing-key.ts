import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  sign,
  verify,
} from "node:crypto";

// The installation's key that signs documents for others (ed25519, RFC 8032).

/** `publicKey` is base64 of its 32 bytes. A retired key does not sign any more. */
export type SigningKey = { id: string; publicKey: string; madeAt: Date; retiredAt: Date | null };

/** A new key in its stored form. */
export type SealedSigningKey = { id: string; publicKey: string; ciphertext: string };

export type Signature = { keyId: string; value: string };

/** Signs a text with the installation's key. @throws Fault `wrong_encryption_key` */
export type Sign = (text: string) => Promise<Signature>;

/** The name to which an encrypted key is bound. So no other encrypted text can replace it. */
export const signingKeyBoundTo = "the signing key";

/** Makes a new key. @param seal encrypts the private key, which is PEM */
export function newSigningKey(seal: (plain: string) => string): SealedSigningKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const bytes = publicBytesOf(pem);
  return { id: keyIdOf(bytes), publicKey: bytes.toString("base64"), ciphertext: seal(pem) };
}

/** @param privateKey PEM */
export function signatureOf(privateKey: string, text: string): Signature {
  const value = sign(null, Buffer.from(text), privateKey).toString("base64");
  return { keyId: keyIdOf(publicBytesOf(privateKey)), value };
}

/** The kinds of text that the key signs. A signed text names its kind. */
export type SignedThing = "attestation" | "heads" | "statement" | "printed-statement" | "close";

/**
 * The text that a document's signature signs.
 * @param digest the SHA-256 of the covered bytes, hex
 */
export function signedText(what: SignedThing, digest: string): string {
  return `chainbell ${what} sha256:${digest}`;
}

/** A signature in the form of documents. */
export function statedSignature({ keyId, value }: Signature) {
  return { key_id: keyId, algorithm: "ed25519" as const, value };
}

/**
 * True if the key has signed the text. The signature must be the one base64 of its bytes. A decoder
 * passes over signs that are none of base64, and over the last bits.
 * @param publicKey base64 of 32 bytes; any other length answers false
 */
export function hasSigned(publicKey: string, text: string, { keyId, value }: Signature): boolean {
  const bytes = Buffer.from(publicKey, "base64");
  if (bytes.length !== 32 || keyIdOf(bytes) !== keyId) return false;
  const der = Buffer.concat([spkiStart, bytes]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  const signature = Buffer.from(value, "base64");
  return signature.toString("base64") === value && verify(null, Buffer.from(text), key, signature);
}

/** RFC 8410, 4: the beginning of an ed25519 SubjectPublicKeyInfo. The key's bytes follow. */
const spkiStart = Buffer.from("302a300506032b6570032100", "hex");

/** RFC 8410, 4: the key's bytes are the end of its SubjectPublicKeyInfo. */
function publicBytesOf(privateKey: string): Buffer {
  const key = createPublicKey(createPrivateKey(privateKey));
  return key.export({ type: "spki", format: "der" }).subarray(-32);
}

/** The id of a key: the first 16 hexadecimal digits of its SHA-256. */
function keyIdOf(publicKey: Uint8Array): string {
  return hash("sha256", publicKey).slice(0, 16);
}
