import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { Fault } from "../fault.ts";

/** One key of CHAINBELL_ENCRYPTION_KEY: 32 bytes, and the operator's name for it. */
export type EncryptionKey = { id: string; bytes: Uint8Array };

/** The keys of an installation. The first one encrypts, and all of them decrypt. */
export type Keyring = readonly [EncryptionKey, ...EncryptionKey[]];

const ivBytes = 12;
const tagBytes = 16;

/**
 * Makes a webhook secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes.
 */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * Begins an encrypted text that is bound to its business. Texts from before 0.2.0 are not bound,
 * and do not begin with it.
 */
const boundMark = "v2:";

/**
 * Encrypts by AES-256-GCM (NIST SP 800-38D) with a random 96-bit IV. The result is the mark, and
 * base64 of IV, tag and ciphertext. The business is authenticated with the text, so a copy in
 * another business's row cannot be decrypted.
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
 * Decrypts a secret. Also reads a secret from before 0.2.0, which is not bound to its business
 * until a rotation. The database does not store which key encrypted a secret. The keys are few, so
 * each is tried: the tag shows the right one.
 * @throws Fault `wrong_encryption_key` if no key is right, if the business is another one, or if
 *   the text was changed
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
 * Encrypts the secret with the first key; null: it is encrypted with that key already.
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
      "A stored webhook secret cannot be read. It was written with another CHAINBELL_ENCRYPTION_KEY, or for another business.",
      { cause },
    );
  }
}

/**
 * A text by which two keys can be compared, and which reveals neither: 16 bytes of an HMAC-SHA256,
 * in hex.
 */
export function keyCheckOf({ bytes }: EncryptionKey): string {
  return createHmac("sha256", bytes).update("chainbell key check").digest("hex").slice(0, 32);
}

/**
 * The secret that signs a business's notifications in `listen`. It is always the same, belongs to
 * no webhook, and is not stored. With it nobody can read or sign a notification that is delivered.
 */
export function listeningSecretOf([key]: Keyring, businessId: string): string {
  const bytes = createHmac("sha256", key.bytes)
    .update(`chainbell listening to ${businessId}`)
    .digest();
  return `whsec_${bytes.toString("base64")}`;
}
