import type { Audited } from "../business/audit.ts";
import type { ReadChanges } from "./changes.ts";
import type { ConsoleSession, FoundSession, SessionOrigin, SessionSubject } from "./session.ts";

/** A new link. Only its digest is stored. */
export type NewLink = Omit<FoundLink, "business"> & { digest: string; expiresAt: Date };

/** A link that is valid, and the session that it opens. */
export type FoundLink = {
  subject: SessionSubject;
  /** The maker of the link. */
  madeBy: string;
  /** The API key of its maker's session, with which it ends. Null: no key stands behind it. */
  keyId: string | null;
  business: FoundSession["business"];
};

export type NewSession = {
  id: string;
  /** The digest of the secret in its cookie. */
  digest: string;
  subject: SessionSubject;
  origin: SessionOrigin;
  address: string;
  at: Date;
};

/** The owner of sessions: one business; null: the operators. */
export type SessionOwner = { businessId: string | null };

export type EndedSession = { id: string; at: Date; withLinks: boolean };

/**
 * The methods of the ledger for the console's own sessions. The full contract of each is in
 * src/ledger/console.
 */
export type ConsoleLedger = Omit<Methods, Change>;

/**
 * Changes of sessions. Each is a step of the transaction that writes its entry in the audit trail.
 */
export type ConsoleChanges = Pick<Methods, Change>;

type Change = "createLink" | "takeLink" | "beginSession" | "endSession";

type Methods = {
  /** Null: the link does not exist, was used already, is too old, or its key has ended. */
  findLink: (digest: string, at: Date) => Promise<FoundLink | null>;
  /** Stores a link of a business. @throws Fault `console_session_over` if its maker's has ended */
  createLink: (link: NewLink) => Promise<void>;
  /** Uses a link up. False: there is no valid link. */
  takeLink: (digest: string, at: Date) => Promise<boolean>;
  beginSession: (session: NewSession) => Promise<ConsoleSession>;
  /** Null: there is no such session. "over": it has ended for ever. */
  findSession: (digest: string, at: Date) => Promise<FoundSession | "over" | null>;
  /**
   * The digests of the secrets that open the console at `at`: links, and sessions used after
   * `since`. At most the ten thousand used last.
   */
  listUsedSecrets: (since: Date, at: Date) => Promise<{ digest: string; usedAt: Date }[]>;
  noteSeen: (id: string, at: Date) => Promise<void>;
  listSessions: (owner: SessionOwner, at: Date) => Promise<ConsoleSession[]>;
  /**
   * `withLinks`: ends the session's unused links too.
   * @throws Fault `console_session_not_found`
   */
  endSession: (owner: SessionOwner, session: EndedSession) => Promise<void>;
  /** The open ones of these sessions. */
  findOpen: (ids: readonly string[], at: Date) => Promise<Pick<ConsoleSession, "id" | "origin">[]>;
  readChanges: ReadChanges;
};

/** Binds the ledger to one session, for its recorded changes of sessions. */
export type AuditedForConsole = (by: {
  name: string;
  /** `console`: a business, by its session; `http`: an operator. */
  via: "console" | "http";
  address: string;
  /** Null: an operator's session, or the business is not known before the change. */
  businessId: string | null;
}) => Audited<ConsoleChanges>;
