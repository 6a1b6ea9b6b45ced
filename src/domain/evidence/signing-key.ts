import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  sign,
  verify,
} from "node:crypto";

// The key of the installation that signs what is handed to others (ed25519, RFC 8032).

/** `publicKey` is the base64 of its 32 bytes. A retired key signs nothing more. */
export type SigningKey = { id: string; publicKey: string; madeAt: Date; retiredAt: Date | null };

/** A fresh key as it is stored. */
export type SealedSigningKey = { id: string; publicKey: string; ciphertext: string };

export type Signature = { keyId: string; value: string };

/** Signs a text with the installation's key. @throws Fault `wrong_encryption_key` */
export type Sign = (text: string) => Promise<Signature>;

/** The text that an encrypted key is bound to, so that no other ciphertext passes for it. */
export const signingKeyBoundTo = "the signing key";

/** @param seal encrypts the private key, which is PEM */
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

/** The things that the key signs. A signed text says which of them it is of. */
export type SignedThing = "attestation" | "heads" | "statement" | "printed-statement" | "close";

/** The text whose signature a document has. @param digest SHA-256 of what is covered, hex */
export function signedText(what: SignedThing, digest: string): string {
  return `chainbell ${what} sha256:${digest}`;
}

/** A signature as documents show it. */
export function statedSignature({ keyId, value }: Signature) {
  return { key_id: keyId, algorithm: "ed25519" as const, value };
}

/** @param publicKey the base64 of 32 bytes; of another length it has signed nothing */
export function hasSigned(publicKey: string, text: string, { keyId, value }: Signature): boolean {
  const bytes = Buffer.from(publicKey, "base64");
  if (bytes.length !== 32 || keyIdOf(bytes) !== keyId) return false;
  const der = Buffer.concat([spkiStart, bytes]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  return verify(null, Buffer.from(text), key, Buffer.from(value, "base64"));
}

/** RFC 8410, 4: what a SubjectPublicKeyInfo of ed25519 begins with. The key follows, as it is. */
const spkiStart = Buffer.from("302a300506032b6570032100", "hex");

/** RFC 8410, 4: the key is the end of its SubjectPublicKeyInfo, as it is. */
function publicBytesOf(privateKey: string): Buffer {
  const key = createPublicKey(createPrivateKey(privateKey));
  return key.export({ type: "spki", format: "der" }).subarray(-32);
}

/** The name of a key: the first 16 hexadecimal digits of its SHA-256. */
function keyIdOf(publicKey: Uint8Array): string {
  return hash("sha256", publicKey).slice(0, 16);
}
