import { Fault } from "../../domain/fault.ts";
import { auditKeyOf, useAuditKey } from "../../ledger/businesses/audit-key.ts";
import { closeDatabase, type Database, openDatabase } from "../../ledger/postgres/database.ts";
import { ownerOfWork } from "../../runtime/on-behalf.ts";
import { closing, type Service } from "../../runtime/service.ts";
import { createTurns } from "../../runtime/turns.ts";

/**
 * The sessions of PostgreSQL that each role of a process has for itself, at most. The process has
 * two more for what belongs to no role, and five for the queue and its signals where those are in
 * PostgreSQL: together twenty.
 */
const sessions = { api: 5, watcher: 4, relay: 2, dispatcher: 2 } as const;

/** The sessions for what belongs to no role, or for a verb. */
export const ownSessions = 2;

/**
 * The sessions of the API that one business, or all operators together, may have in use at a time,
 * and the pieces of work that may wait for them.
 */
const ofOneOwner = { atOnce: 2, mostWaiting: 500 };

export type PooledRole = keyof typeof sessions;

/**
 * Opens the connections of one role: another role cannot use them up. Nothing connects before its
 * first statement. In the API one business waits for its own work before it takes a connection, so
 * the others find the rest of them free.
 */
export function openPool(
  of: { db: Database; config: { databaseUrl: string } },
  role: PooledRole,
): { db: Database; service: Service } {
  const db = openDatabase({
    databaseUrl: of.config.databaseUrl,
    poolSize: sessions[role],
    kind: role === "api" ? "request" : "money",
    ...(role === "api" ? { turn: createOwnersTurn() } : {}),
  });
  useAuditKey(db, auditKeyOf(of.db));
  return { db, service: closing(`database:${role}`, () => closeDatabase(db)) };
}

function createOwnersTurn(): () => Promise<() => void> {
  const turns = createTurns(ofOneOwner);
  return async () => {
    const owner = ownerOfWork();
    if (owner === null) return () => {};
    const end = await turns.begin(owner);
    if (end !== null) return end;
    throw new Fault(
      "rate_limited",
      "Too many requests of yours wait for each other: send fewer at a time.",
      { facts: { retryAfterMs: 1_000 } },
    );
  };
}
