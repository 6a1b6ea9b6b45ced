import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { Fault } from "../fault.ts";

/** 32 bytes, from CHAINBELL_ENCRYPTION_KEY. */
export type EncryptionKey = Uint8Array;

const ivBytes = 12;
const tagBytes = 16;

/** A fresh webhook secret in the Standard Webhooks form: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Before what is bound to its business; what was written before 0.2.0 is not, and has none. */
const boundMark = "v2:";

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit IV: a mark, and base64 of iv, tag and ciphertext. The business is authenticated
 * with it: copied into another business's row it cannot be read.
 */
export function encryptSecret(key: EncryptionKey, plain: string, businessId: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(boundTo(businessId));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return boundMark + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

function boundTo(businessId: string): Buffer {
  return Buffer.from(`chainbell webhook secret of ${businessId}`);
}

/**
 * Reads also what was written before 0.2.0, which is bound to no business until it is written anew by a rotation.
 * @throws Fault `wrong_encryption_key` when the key or the business is another one, or the text was altered
 */
export function decryptSecret(key: EncryptionKey, stored: string, businessId: string): string {
  const isBound = stored.startsWith(boundMark);
  const bytes = Buffer.from(isBound ? stored.slice(boundMark.length) : stored, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
    if (isBound) decipher.setAAD(boundTo(businessId));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([
      decipher.update(bytes.subarray(ivBytes + tagBytes)),
      decipher.final(),
    ]).toString("utf8");
  } catch (cause) {
    throw new Fault(
      "wrong_encryption_key",
      "A stored webhook secret cannot be read: CHAINBELL_ENCRYPTION_KEY is not the key it was written with, or it was not written for this business.",
      { cause },
    );
  }
}

/** What shows that two keys are the same one, and nothing of either: 16 bytes of an HMAC-SHA256, hex. */
export function keyCheckOf(key: EncryptionKey): string {
  return createHmac("sha256", key).update("chainbell key check").digest("hex").slice(0, 32);
}

/**
 * The secret that signs what `listen` forwards of a business: the same each time, of nobody's webhook, and nothing that is stored.
 * Whoever has it can neither read nor sign anything that is delivered.
 */
export function listeningSecretOf(key: EncryptionKey, businessId: string): string {
  const bytes = createHmac("sha256", key).update(`chainbell listening to ${businessId}`).digest();
  return `whsec_${bytes.toString("base64")}`;
}
