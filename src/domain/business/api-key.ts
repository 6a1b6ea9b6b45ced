import { createHash, randomBytes } from "node:crypto";

/** What a key may do. A key without any may do all of it. */
export const keyScopes = {
  read: "everything that only reads",
  webhooks: "to register, change, test and recover the webhook, and to replace its secret",
  notifications: "to have a notification delivered again",
} as const;

export type KeyScope = keyof typeof keyScopes;

/** How a key is limited. */
export type KeyLimits = {
  /** Empty: everything. */
  scopes: readonly KeyScope[];
  /** CIDR blocks. Empty: from everywhere. */
  networks: readonly string[];
  /** Null: never. */
  expiresAt: Date | null;
};

/** An API key as lists show it: never the key itself. */
export type ApiKey = KeyLimits & {
  id: string;
  businessId: string;
  label: string | null;
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
};

/** What is stored of a key. */
export type ApiKeyRecord = { prefix: string; digest: string };

/** A key that is about to be. */
export type NewApiKey = Pick<ApiKey, "businessId" | "label"> & {
  record: ApiKeyRecord;
  limits: KeyLimits;
};

/** An access token that was made with a key, by its `jti`. */
export type IssuedToken = {
  id: string;
  /** From where it was asked for. */
  address: string;
  createdAt: Date;
  expiresAt: Date;
};

/** What authentication must know of the key somebody shows. */
export type KeyHolder = KeyLimits &
  Record<"keyId" | "businessId", string> &
  Record<"isRevoked" | "isVerified" | "isSuspended", boolean>;

/** 256 random bits: far above the promised 160, and a plain SHA-256 of it cannot be guessed backwards. */
const keyBytes = 32;

/** `cb_` and five characters: enough to distinguish keys in a list, too little to help a guess. */
const prefixLength = 8;

const keyForm = /^cb_[A-Za-z0-9_-]{43}$/;

/** A fresh key: `cb_` and base64url of 32 random bytes. Show it once. */
export function newApiKey(): string {
  return `cb_${randomBytes(keyBytes).toString("base64url")}`;
}

/** Whether the text can be a key at all; only then is it worth asking the database. */
export function isApiKeyForm(text: string): boolean {
  return keyForm.test(text);
}

/** What is stored of a key: its visible beginning and its SHA-256, hex. */
export function recordOfApiKey(key: string): ApiKeyRecord {
  return {
    prefix: key.slice(0, prefixLength),
    digest: createHash("sha256").update(key, "utf8").digest("hex"),
  };
}
