import { createHash, randomBytes } from "node:crypto";

/**
 * The scopes of keys. A key without scopes may do everything except `wallets:write`, which only an
 * operator grants.
 */
export const keyScopes = {
  read: "every `GET`, also of notifications",
  webhooks:
    "to register, change, test and end the webhook, to replace its secret, and to queue its notifications again",
  credits: "with `read`: to compare its credits with the ledger",
  notifications: "to send one notification again",
  "wallets:write":
    "to add wallets, until the business has as many as the key says, and to set their thresholds",
} as const;

export type KeyScope = keyof typeof keyScopes;

/**
 * The scopes that a key with scopes needs for a route with this scope. The answer to credits shows
 * what was received, so `credits` also needs `read`.
 */
export function scopesNeeded(scope: KeyScope): readonly KeyScope[] {
  return scope === "credits" ? ["read", scope] : [scope];
}

/** The limits of a key. */
export type KeyLimits = {
  /** Empty: the key may do everything except `wallets:write`. */
  scopes: readonly KeyScope[];
  /** CIDR blocks. Empty: from everywhere. */
  networks: readonly string[];
  /** Null: the key never expires. */
  expiresAt: Date | null;
  /**
   * The most wallets that the business may have after the key adds some. Null: the key may not add
   * wallets.
   */
  maxWallets: number | null;
};

/** An API key as lists show it, never the key itself. */
export type ApiKey = KeyLimits & {
  id: string;
  businessId: string;
  label: string | null;
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
  /** When it was last used, to the minute. */
  lastUsedAt: Date | null;
};

/** The stored form of a key. */
export type ApiKeyRecord = { prefix: string; digest: string };

/** A key that is about to be created. */
export type NewApiKey = Pick<ApiKey, "businessId" | "label"> & {
  record: ApiKeyRecord;
  limits: KeyLimits;
};

/** An access token that was made with a key. `id` is its `jti`. */
export type IssuedToken = {
  id: string;
  /** The address from which the token was asked for. */
  address: string;
  createdAt: Date;
  expiresAt: Date;
};

/** The facts about a key that authentication needs. */
export type KeyHolder = Omit<KeyLimits, "maxWallets"> &
  Record<"keyId" | "businessId", string> &
  Record<"isRevoked" | "isVerified" | "isSuspended", boolean>;

/**
 * 256 random bits, far above the promised 160. Nobody can find the key from its plain SHA-256 by
 * guessing.
 */
const keyBytes = 32;

/** `cb_` and five characters: enough to distinguish keys in a list, too little to help a guess. */
const prefixLength = 8;

const keyForm = /^cb_[A-Za-z0-9_-]{43}$/;

/** A fresh key: `cb_` and base64url of 32 random bytes. Show it once. */
export function newApiKey(): string {
  return `cb_${randomBytes(keyBytes).toString("base64url")}`;
}

/** True if the text has the form of a key. Only such a text is worth asking the database. */
export function isApiKeyForm(text: string): boolean {
  return keyForm.test(text);
}

/** The stored form of a key: its visible beginning and its SHA-256, hex. */
export function recordOfApiKey(key: string): ApiKeyRecord {
  return {
    prefix: key.slice(0, prefixLength),
    digest: createHash("sha256").update(key, "utf8").digest("hex"),
  };
}
