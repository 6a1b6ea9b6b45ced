import type { Audited } from "../business/audit.ts";
import type { ReadChanges } from "./changes.ts";
import type { ConsoleSession, FoundSession, SessionOrigin, SessionSubject } from "./session.ts";

/** A link as it is stored: its digest alone. */
export type NewLink = Pick<TakenLink, "subject" | "madeBy"> & { digest: string; expiresAt: Date };

/** What a link let somebody in as. */
export type TakenLink = {
  subject: SessionSubject;
  /** Who made the link. */
  madeBy: string;
  business: FoundSession["business"];
};

export type NewSession = {
  id: string;
  /** Of the secret in its cookie. */
  digest: string;
  subject: SessionSubject;
  origin: SessionOrigin;
  address: string;
  at: Date;
};

/** Sessions of one business; null: of the operators. */
export type SessionOwner = { businessId: string | null };

/** What the console asks of the ledger for its own use; the whole contract of each stands in src/ledger/console. */
export type ConsoleLedger = {
  /** Null: nobody's, used already, or too old. */
  takeLink: (digest: string, at: Date) => Promise<TakenLink | null>;
  beginSession: (session: NewSession) => Promise<ConsoleSession>;
  /** Null: there is none that is open. */
  findSession: (digest: string, at: Date) => Promise<FoundSession | null>;
  noteSeen: (id: string, at: Date) => Promise<void>;
  listSessions: (owner: SessionOwner, at: Date) => Promise<ConsoleSession[]>;
  /** @throws Fault `console_session_not_found` */
  endSession: (owner: SessionOwner, session: { id: string; at: Date }) => Promise<void>;
  /** Which of these are still open. */
  findOpen: (ids: readonly string[], at: Date) => Promise<string[]>;
  readChanges: ReadChanges;
};

/** The ledger for what one session does to sessions, on record. */
export type AuditedForConsole = (by: {
  name: string;
  /** `console`: a business, by its session; `http`: an operator. */
  via: "console" | "http";
  address: string;
  /** Null: an operator's, or not known before it is done. */
  businessId: string | null;
}) => Audited<Pick<ConsoleLedger, "takeLink" | "beginSession" | "endSession">>;
