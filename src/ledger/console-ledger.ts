import type { AuditedForConsole, ConsoleLedger } from "../domain/console/console-ledger.ts";
import { auditedIn } from "./businesses/audit.ts";
import { readChanges } from "./console/changes.ts";
import { takeLink } from "./console/links.ts";
import {
  beginSession,
  endSession,
  findOpen,
  findSession,
  listSessions,
  noteSeen,
} from "./console/sessions.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";

/** The ledger as the console uses it for its own sessions, bound to one database. */
export function createConsoleLedger(db: Database): ConsoleLedger {
  return {
    takeLink: bind(db, takeLink),
    beginSession: bind(db, beginSession),
    findSession: bind(db, findSession),
    noteSeen: bind(db, noteSeen),
    listSessions: bind(db, listSessions),
    endSession: bind(db, endSession),
    findOpen: bind(db, findOpen),
    readChanges: bind(db, readChanges),
  };
}

/** What is done to sessions, on record. */
export function auditedForConsole(db: Database): AuditedForConsole {
  return ({ businessId, ...by }) =>
    auditedIn({ db, by, businessId, claim: null }, createConsoleLedger);
}
