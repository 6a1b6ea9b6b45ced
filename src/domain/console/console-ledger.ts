import type { Audited } from "../business/audit.ts";
import type { ReadChanges } from "./changes.ts";
import type { ConsoleSession, FoundSession, SessionOrigin, SessionSubject } from "./session.ts";

/** A link as it is stored: its digest alone. */
export type NewLink = Pick<FoundLink, "subject" | "madeBy"> & { digest: string; expiresAt: Date };

/** The identity that a link lets somebody in with. */
export type FoundLink = {
  subject: SessionSubject;
  /** The maker of the link. */
  madeBy: string;
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

/**
 * The methods of the ledger that the console needs for its own use. The whole contract of each
 * stands in src/ledger/console.
 */
export type ConsoleLedger = Omit<Methods, Change>;

/** The changes to sessions. Each is a step of the transaction that puts it on record. */
export type ConsoleChanges = Pick<Methods, Change>;

type Change = "takeLink" | "beginSession" | "endSession";

type Methods = {
  /** Null: there is no such link, or it was used already, or it is too old. */
  findLink: (digest: string, at: Date) => Promise<FoundLink | null>;
  /** Takes a link. False: there is none to be found. */
  takeLink: (digest: string, at: Date) => Promise<boolean>;
  beginSession: (session: NewSession) => Promise<ConsoleSession>;
  /** Null: there is no such open session. */
  findSession: (digest: string, at: Date) => Promise<FoundSession | null>;
  /**
   * The digests of the secrets that open the console at a moment: those of sessions that were used
   * since another one, and of links. The ten thousand used last.
   */
  listUsedSecrets: (since: Date, at: Date) => Promise<{ digest: string; usedAt: Date }[]>;
  noteSeen: (id: string, at: Date) => Promise<void>;
  listSessions: (owner: SessionOwner, at: Date) => Promise<ConsoleSession[]>;
  /** @throws Fault `console_session_not_found` */
  endSession: (owner: SessionOwner, session: { id: string; at: Date }) => Promise<void>;
  /** Those of these sessions that are still open. */
  findOpen: (ids: readonly string[], at: Date) => Promise<Pick<ConsoleSession, "id" | "origin">[]>;
  readChanges: ReadChanges;
};

/** The ledger for the changes that one session makes to sessions, on record. */
export type AuditedForConsole = (by: {
  name: string;
  /** `console`: a business, by its session; `http`: an operator. */
  via: "console" | "http";
  address: string;
  /** Null: the session is an operator's, or its business is not known before the change is made. */
  businessId: string | null;
}) => Audited<ConsoleChanges>;
