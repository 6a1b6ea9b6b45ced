import type { AuditedForConsole, ConsoleLedger } from "../domain/console/console-ledger.ts";
import { auditedIn } from "./businesses/audit.ts";
import { readChanges } from "./console/changes.ts";
import { createLink, findLink, takeLink } from "./console/links.ts";
import {
  beginSession,
  endSession,
  findOpen,
  findSession,
  listSessions,
  listUsedSecrets,
  noteSeen,
} from "./console/sessions.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";

const whole = {
  findLink,
  findSession,
  listUsedSecrets,
  noteSeen,
  listSessions,
  findOpen,
  readChanges,
};

const steps = { createLink, takeLink, beginSession, endSession };

/** The ledger as the console uses it for its own sessions, bound to one database. */
export function createConsoleLedger(db: Database): ConsoleLedger {
  return bind(db, whole);
}

/** Changes of sessions, each with its entry in the audit trail. */
export function auditedForConsole(db: Database): AuditedForConsole {
  return ({ businessId, ...by }) =>
    auditedIn({ db, by, businessId, claim: null }, (tx) => bind(tx, steps));
}
