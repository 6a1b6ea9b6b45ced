import type { RateLimit } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import { auditKeyOf, useAuditKey } from "../../ledger/businesses/audit-key.ts";
import { closeDatabase, type Database, openDatabase } from "../../ledger/postgres/database.ts";
import type { Turn } from "../../ledger/postgres/joinable-pool.ts";
import { shareQuestions } from "../../ledger/postgres/shared-statement.ts";
import { ownerKey, ownerOfWork } from "../../runtime/on-behalf.ts";
import { closing, type Service } from "../../runtime/service.ts";
import { createTurns, type Pace, type Turns } from "../../runtime/turns.ts";

/**
 * The sessions of PostgreSQL that each role of a process has for itself, at most. The process has
 * two more for what belongs to no role, and five for the queue and its signals where those are in
 * PostgreSQL: together twenty.
 */
const sessions = { api: 5, watcher: 4, relay: 2, dispatcher: 2 } as const;

/** The sessions for what belongs to no role, or for a verb. */
export const ownSessions = 2;

/**
 * The sessions that one business, or one operator, may have in use at a time, and the pieces of
 * work that may wait for them.
 */
const ofOneOwner = { ofOwner: 2, mostWaiting: 500 };

/**
 * The time of a connection that one request is worth, in ms. A business whose requests are dearer
 * has fewer of them in a second than its rate limit says. They wait, and are not refused. With 60
 * requests for its longest lists at a time, another business's `GET /balance` was 59 times slower.
 */
const requestMs = 5;

/** The least share of one connection's time that a business has, however low its rate limit is. */
const leastShare = 0.5;

/**
 * The time that a business may take at once after a pause, in ms. A page of the console asks for
 * less.
 */
const burstMs = 100;

export type PooledRole = keyof typeof sessions;

/**
 * Opens the connections of one role: another role cannot use them up. Nothing connects before its
 * first statement. In the API each owner waits for its turn before it takes a connection.
 */
export function openPool(
  of: { db: Database; config: { databaseUrl: string; rateLimit: RateLimit } },
  role: PooledRole,
): { db: Database; service: Service } {
  const db = openDatabase({
    databaseUrl: of.config.databaseUrl,
    poolSize: sessions[role],
    kind: role === "api" ? "request" : "money",
    ...(role === "api" ? { turn: createOwnersTurn(sessions.api, of.config.rateLimit) } : {}),
  });
  useAuditKey(db, auditKeyOf(of.db));
  shareQuestions(db, of.db);
  return { db, service: closing(`database:${role}`, () => closeDatabase(db)) };
}

/**
 * The turns of owners at the connections of a pool. One connection is for work that belongs to
 * nobody, such as finding a key, each piece of which is short. Operators, whose verbs may take an
 * hour, leave one to the businesses.
 * @param poolSize three at least
 * @param rateLimit of a business
 */
export function createOwnersTurn(poolSize: number, rateLimit: RateLimit): Turn {
  const ofBusiness: Pace = {
    share: Math.max(leastShare, (rateLimit.perSecond * requestMs) / 1_000),
    burstMs,
  };
  const elapsed = () => performance.now();
  const turns = createTurns({ atOnce: poolSize - 1, ...ofOneOwner, elapsed });
  const ofOperators = createTurns({ atOnce: poolSize - 2, ...ofOneOwner, elapsed });
  return async () => {
    const owner = ownerOfWork();
    if (owner === null) return () => {};
    const key = ownerKey(owner);
    const isOperator = owner.kind === "operator";
    const endAmong = isOperator ? await begin(ofOperators, key, null) : () => {};
    try {
      const end = await begin(turns, key, isOperator ? null : ofBusiness);
      return () => {
        end();
        endAmong();
      };
    } catch (error) {
      endAmong();
      throw error;
    }
  };
}

async function begin(turns: Turns, key: string, pace: Pace | null): Promise<() => void> {
  const end = await turns.begin(key, pace);
  if (end !== null) return end;
  throw new Fault(
    "rate_limited",
    "Too many requests of yours wait for each other: send fewer at a time.",
    { facts: { retryAfterMs: 1_000 } },
  );
}
