import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { Fault } from "../fault.ts";

/** One key of CHAINBELL_ENCRYPTION_KEY: 32 bytes, and the name that operators give it. */
export type EncryptionKey = { id: string; bytes: Uint8Array };

/** The keys of an installation. The first one encrypts, and each of them decrypts. */
export type Keyring = readonly [EncryptionKey, ...EncryptionKey[]];

const ivBytes = 12;
const tagBytes = 16;

/** A fresh webhook secret in the Standard Webhooks form: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * The mark before a text that is bound to its business. A text that was written before 0.2.0 is not
 * bound and has no mark.
 */
const boundMark = "v2:";

/**
 * Encrypts by AES-256-GCM (NIST SP 800-38D) with a random 96-bit IV. The result is a mark, and
 * base64 of IV, tag and ciphertext. The business is authenticated with the text, so a copy in
 * another business's row cannot be read.
 */
export function encryptSecret([key]: Keyring, plain: string, businessId: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, iv).setAAD(boundTo(businessId));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return boundMark + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

function boundTo(businessId: string): Buffer {
  return Buffer.from(`chainbell webhook secret of ${businessId}`);
}

/**
 * Decrypts a secret. It also reads a secret of before 0.2.0, which is bound to no business until a
 * rotation writes it anew. The database does not say which key a secret was written with. The tag
 * says whether a key is right, and there are few keys.
 * @throws Fault `wrong_encryption_key` if no key is right, the business is another one, or the text
 * was altered
 */
export function decryptSecret(
  [key, ...others]: Keyring,
  stored: string,
  businessId: string,
): string {
  try {
    return decryptWith(key, stored, businessId);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined) throw error;
    return decryptSecret([next, ...rest], stored, businessId);
  }
}

/**
 * The same secret, encrypted with the first key; null: it is written so already.
 * @throws Fault as decryptSecret
 */
export function resealSecret(keyring: Keyring, stored: string, businessId: string): string | null {
  if (stored.startsWith(boundMark) && isReadBy(keyring[0], stored, businessId)) return null;
  return encryptSecret(keyring, decryptSecret(keyring, stored, businessId), businessId);
}

function isReadBy(key: EncryptionKey, stored: string, businessId: string): boolean {
  try {
    decryptWith(key, stored, businessId);
    return true;
  } catch {
    return false;
  }
}

function decryptWith({ bytes: key }: EncryptionKey, stored: string, businessId: string): string {
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

/**
 * A text that shows that two keys are the same one, and nothing of either. It is 16 bytes of an
 * HMAC-SHA256, in hex.
 */
export function keyCheckOf({ bytes }: EncryptionKey): string {
  return createHmac("sha256", bytes).update("chainbell key check").digest("hex").slice(0, 32);
}

/**
 * The secret that signs the notifications of a business that `listen` forwards. It is the same each
 * time, belongs to no webhook, and is not stored. A person who has the secret can neither read nor
 * sign a notification that is delivered.
 */
export function listeningSecretOf([key]: Keyring, businessId: string): string {
  const bytes = createHmac("sha256", key.bytes)
    .update(`chainbell listening to ${businessId}`)
    .digest();
  return `whsec_${bytes.toString("base64")}`;
}
