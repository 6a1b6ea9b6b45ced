import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Fault } from "../fault.ts";

/** 32 bytes, from CHAINBELL_ENCRYPTION_KEY. */
export type EncryptionKey = Uint8Array;

const ivBytes = 12;
const tagBytes = 16;

/** A fresh webhook secret in the Standard Webhooks form: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** AES-256-GCM (NIST SP 800-38D) with a random 96-bit IV: base64 of iv, tag and ciphertext. */
export function encryptSecret(key: EncryptionKey, plain: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

/** @throws Fault `wrong_encryption_key` when the key is another one or the text was altered. */
export function decryptSecret(key: EncryptionKey, stored: string): string {
  const bytes = Buffer.from(stored, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([
      decipher.update(bytes.subarray(ivBytes + tagBytes)),
      decipher.final(),
    ]).toString("utf8");
  } catch (cause) {
    throw new Fault(
      "wrong_encryption_key",
      "A stored webhook secret cannot be read: CHAINBELL_ENCRYPTION_KEY is not the key it was written with.",
      { cause },
    );
  }
}
