import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Fault } from "../fault.ts";

/** The rights of a session of a business. */
export const businessRoles = {
  viewer: { description: "looks" },
  developer: { description: "does what an API key of the business may" },
} as const;

/** The rights of a session of an operator. */
export const operatorRoles = {
  viewer: { description: "looks" },
  operator: { description: "does what an admin token may" },
} as const;

export type BusinessRole = keyof typeof businessRoles;
export type OperatorRole = keyof typeof operatorRoles;

/** The ways in which a session can begin. */
export const waysIn = {
  link: { description: "a link that is good for ten minutes, and once" },
  api_key: { description: "an API key of the business" },
  admin_token: { description: "an operator's token" },
  oidc: { description: "an identity provider, which says who an operator is" },
} as const;

/** The owner of a session, and its rights. */
export type SessionSubject =
  | { kind: "business"; businessId: string; role: BusinessRole }
  | { kind: "operator"; role: OperatorRole };

/**
 * The credential that a session began with. The session ends with that key or token. `madeBy`: the
 * maker of the link. `keyId` of `link`: the key of the session that made it; null: no key stands
 * behind it. `credential`: derived from an admin token and its rights, or from the sign-in's
 * settings; null: an older release began it. `name` of `oidc`: the identity provider's name.
 */
export type SessionOrigin =
  | { way: "link"; madeBy: string; keyId: string | null }
  | { way: "api_key"; keyId: string }
  | { way: "admin_token"; name: string; credential: string }
  | { way: "oidc"; name: string; credential: string | null };

export type ConsoleSession = {
  id: string;
  subject: SessionSubject;
  origin: SessionOrigin;
  /** The address from which the session began. */
  address: string;
  createdAt: Date;
  /** When it was last used, to the minute. */
  seenAt: Date;
  expiresAt: Date;
};

/** An open session and the state of its business; null: it is an operator's. */
export type FoundSession = ConsoleSession & {
  business: { name: string; isVerified: boolean; isSuspended: boolean } | null;
};

const minuteMs = 60_000;

/** A session lasts at most this many ms (docs/console.md#sessions). */
export const sessionLifetimeMs = 12 * 60 * minuteMs;

/** A session ends after this many ms without use (docs/console.md#sessions). */
export const sessionIdleMs = 60 * minuteMs;

/** A link is valid for this many ms. */
const linkLifetimeMs = 10 * minuteMs;

/** A person may take this many ms at an identity provider. */
export const signInLifetimeMs = 10 * minuteMs;

/** The time of a session's last use is written at most this often, in ms. */
export const seenEveryMs = minuteMs;

/**
 * 256 random bits. Nobody can find the secret by guessing, although only its plain SHA-256 is
 * stored.
 */
const secretBytes = 32;

const secretForm = /^[A-Za-z0-9_-]{43}$/;
const digestForm = /^[0-9a-f]{64}$/;
const linkForm = /^cbl_[A-Za-z0-9_-]{43}$/;

/** A new secret for a session's cookie. Only its digest is stored. */
export function newSessionSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** A new link, which is valid from now on. Show `link` once, and store the digest alone. */
export function newLink(nowMs: number) {
  const link = `cbl_${randomBytes(secretBytes).toString("base64url")}`;
  return {
    link,
    digest: digestOf(link),
    // The secret is in the fragment, which browsers never send. No log and no referrer has it.
    path: `/console/enter#${link}`,
    expiresAt: new Date(nowMs + linkLifetimeMs),
  };
}

/** True if the text has the form of a session's secret. Any other text need not be looked up. */
export function isSessionSecret(text: string): boolean {
  return secretForm.test(text);
}

/** The same for the digest of a session's secret. */
export function isSessionDigest(text: string): boolean {
  return digestForm.test(text);
}

export function isLinkForm(text: string): boolean {
  return linkForm.test(text);
}

/** The stored form of a session's secret or of a link: its SHA-256, hex. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/**
 * Derives a secret from another one for one purpose. It does not reveal the other one. It has 256
 * bits in base64url, which PKCE accepts as a verifier (RFC 7636 section 4.1).
 */
export function derivedFrom(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(purpose).digest("base64url");
}

/**
 * The token that each change by this session must have in a header. Another site can make a browser
 * send the cookie, but cannot read this token. It is derived from the secret, so it is not stored.
 * It does not reveal the secret.
 */
export function tokenOf(secret: string): string {
  return derivedFrom(secret, "chainbell console token");
}

/** True if `given` is the token of this secret. Takes the same time for every text. */
export function isTokenOf(secret: string, given: string): boolean {
  const digests = [tokenOf(secret), given].map((text) =>
    createHash("sha256").update(text).digest(),
  );
  const [expected, shown] = digests;
  return expected !== undefined && shown !== undefined && timingSafeEqual(expected, shown);
}

/** When a session ends if it is not used again. */
export function idleExpiryOf({ seenAt, expiresAt }: ConsoleSession): Date {
  return new Date(Math.min(expiresAt.getTime(), seenAt.getTime() + sessionIdleMs));
}

/**
 * The name of a session in the audit trail. A session of a business has its id as its name. A
 * session of an operator has the operator's name.
 */
export function nameOf({ id, subject, origin }: Pick<ConsoleSession, "id" | "subject" | "origin">) {
  if (subject.kind === "business") return id;
  return holderOf(origin);
}

const sessionMark = "session:";

/**
 * The maker of a link that a session of the business made. The mark tells it from an operator,
 * whose name at an identity provider may be an id too.
 */
export function madeBySession(id: string): string {
  return `${sessionMark}${id}`;
}

/** The id of the session that made a link, by its `madeBy`. Null: no session made it. */
export function sessionIn(madeBy: string): string | null {
  return madeBy.startsWith(sessionMark) ? madeBy.slice(sessionMark.length) : null;
}

/**
 * The holder of the session's credential, as the list of sessions shows it. A business does not see
 * which operator made its link, since an operator's name may be an employee's email address. A link
 * that one of its sessions made has the id of that session.
 */
export function shownHolderOf({ subject, origin }: Pick<ConsoleSession, "subject" | "origin">) {
  if (subject.kind !== "business" || origin.way !== "link") return holderOf(origin);
  return sessionIn(origin.madeBy) ?? "operator";
}

/**
 * The API key that a session ends with; null: there is none. A session that began with a link has
 * the key of the session that made the link.
 */
export function keyBehind(origin: SessionOrigin): string | null {
  return origin.way === "api_key" || origin.way === "link" ? origin.keyId : null;
}

export function sessionOver(): Fault {
  return new Fault("console_session_over", "The session has ended: sign in again.");
}

/** The holder of the credential, or the maker of the link, that a session began with. */
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
