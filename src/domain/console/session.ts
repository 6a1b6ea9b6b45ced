import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** What a session of a business may do. */
export const businessRoles = {
  viewer: { description: "looks" },
  developer: { description: "does what an API key of the business may" },
} as const;

/** What a session of an operator may do. */
export const operatorRoles = {
  viewer: { description: "looks" },
  operator: { description: "does what an admin token may" },
} as const;

export type BusinessRole = keyof typeof businessRoles;
export type OperatorRole = keyof typeof operatorRoles;

/** How somebody came in. */
export const waysIn = {
  link: { description: "a link that is good for ten minutes, and once" },
  api_key: { description: "an API key of the business" },
  admin_token: { description: "an operator's token" },
  oidc: { description: "an identity provider, which says who an operator is" },
} as const;

/** Whose a session is, and what it may do. */
export type SessionSubject =
  | { kind: "business"; businessId: string; role: BusinessRole }
  | { kind: "operator"; role: OperatorRole };

/**
 * What a session began with. It ends with the key or the token that it began with; of a link `madeBy` is who made it.
 * `digest`: SHA-256 of the admin token, hex. `name` of `oidc`: as the identity provider has it.
 */
export type SessionOrigin =
  | { way: "link"; madeBy: string }
  | { way: "api_key"; keyId: string }
  | { way: "admin_token"; name: string; digest: string }
  | { way: "oidc"; name: string };

export type ConsoleSession = {
  id: string;
  subject: SessionSubject;
  origin: SessionOrigin;
  /** From where it began. */
  address: string;
  createdAt: Date;
  /** To the minute. */
  seenAt: Date;
  expiresAt: Date;
};

/** A session that is open, and how the business is that it is of; null: an operator's. */
export type FoundSession = ConsoleSession & {
  business: { name: string; isVerified: boolean; isSuspended: boolean } | null;
};

const minuteMs = 60_000;

/** docs/console.md#sessions: how long a session lasts, in ms. */
export const sessionLifetimeMs = 12 * 60 * minuteMs;

/** And for how long nobody may use it, in ms. */
export const sessionIdleMs = 60 * minuteMs;

/** How long a link is good, in ms. */
export const linkLifetimeMs = 10 * minuteMs;

/** How long somebody may take at an identity provider, in ms. */
export const signInLifetimeMs = 10 * minuteMs;

/** How often the time of a session's last use is written, in ms. */
export const seenEveryMs = minuteMs;

/** 256 random bits: a plain SHA-256 of it cannot be guessed backwards. */
const secretBytes = 32;

const secretForm = /^[A-Za-z0-9_-]{43}$/;
const linkForm = /^cbl_[A-Za-z0-9_-]{43}$/;

/** What the cookie of a session holds. It is stored nowhere else. */
export function newSessionSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** A fresh link. Show it once. */
export function newLink(): string {
  return `cbl_${randomBytes(secretBytes).toString("base64url")}`;
}

/** Whether the text can be a session's secret at all; only then is it worth asking the database. */
export function isSessionSecret(text: string): boolean {
  return secretForm.test(text);
}

export function isLinkForm(text: string): boolean {
  return linkForm.test(text);
}

/** What is stored of a session's secret, or of a link: its SHA-256, hex. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/**
 * A secret that follows from another one, for one purpose; the other does not follow from it. 256 bits, base64url: what
 * PKCE takes as a verifier (RFC 7636 section 4.1).
 */
export function derivedFrom(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(purpose).digest("base64url");
}

/**
 * What every change by this session has to carry in a header. A page of another site can make a browser send the cookie, and
 * cannot read this. It follows from the secret, so it is stored nowhere; the secret does not follow from it.
 */
export function tokenOf(secret: string): string {
  return derivedFrom(secret, "chainbell console token");
}

/** Whether it is the token of this secret. The time taken says nothing about it. */
export function isTokenOf(secret: string, given: string): boolean {
  const digests = [tokenOf(secret), given].map((text) =>
    createHash("sha256").update(text).digest(),
  );
  const [expected, shown] = digests;
  return expected !== undefined && shown !== undefined && timingSafeEqual(expected, shown);
}

/** When a session ends if nobody uses it again. */
export function idleExpiryOf({ seenAt, expiresAt }: ConsoleSession): Date {
  return new Date(Math.min(expiresAt.getTime(), seenAt.getTime() + sessionIdleMs));
}

/** Who a session is, as the audit trail names it: of a business the session, of an operator its own name. */
export function nameOf({ id, subject, origin }: Pick<ConsoleSession, "id" | "subject" | "origin">) {
  if (subject.kind === "business") return id;
  return holderOf(origin);
}

/** By whose credential, or by whose link, somebody came in. */
export function holderOf(origin: SessionOrigin): string {
  switch (origin.way) {
    case "link":
      return origin.madeBy;
    case "api_key":
      return origin.keyId;
    case "admin_token":
    case "oidc":
      return origin.name;
  }
}
