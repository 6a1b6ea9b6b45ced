import type { RateLimit } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import { auditKeyOf, useAuditKey } from "../../ledger/businesses/audit-key.ts";
import { closeDatabase, type Database, openDatabase } from "../../ledger/postgres/database.ts";
import type { Turn } from "../../ledger/postgres/joinable-pool.ts";
import { shareQuestions } from "../../ledger/postgres/shared-statement.ts";
import { ownerKey, type Work, WorkLeft, workInHand } from "../../runtime/on-behalf.ts";
import { closing, type Service } from "../../runtime/service.ts";
import { type AskedTurn, createTurns, type Pace, type Turns } from "../../runtime/turns.ts";

/**
 * The most PostgreSQL sessions that each role of a process uses. The process has two more for work
 * of no role. It has five more for the queue and its signals if those are in PostgreSQL. Together
 * twenty.
 */
const sessions = { api: 5, watcher: 4, relay: 2, dispatcher: 2 } as const;

/** The sessions for work of no role, or for a verb. */
export const ownSessions = 2;

/**
 * The most sessions that one business, or one operator, may use at a time. `mostWaiting`: how many
 * of its requests may wait for them.
 */
const ofOneOwner = { ofOwner: 2, mostWaiting: 500 };

/**
 * The time for which one request may use a connection, in ms, for the rate limit to be exact. A
 * business with slower requests gets fewer per second. They wait, and are not refused. Without
 * this, 60 concurrent requests for long lists made another business's `GET /balance` 59 times
 * slower.
 */
const requestMs = 3;

/**
 * Every business has at least this share of one connection's time, even if its rate limit is low.
 */
const leastShare = 0.3;

/**
 * The time for which a business may use a connection without waiting after a pause, in ms. More
 * than one page of the console needs.
 */
const burstMs = 100;

export type PooledRole = keyof typeof sessions;

/**
 * Opens one role's own connections, so that other roles cannot use them up. Nothing connects before
 * the first statement. In the API, each owner waits for its turn before it takes a connection.
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
 * Shares the connections of a pool among their owners. One connection is reserved for work without
 * an owner, such as finding a key, which is always short. The verbs of operators may take an hour,
 * so they leave one connection to the businesses.
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
    const work = workInHand();
    if (work === null) return () => {};
    const isOperator = work.owner.kind === "operator";
    const pace = isOperator ? {} : { pace: ofBusiness };
    const asked = { place: work.nextPlace(), signal: work.signal, ...pace };
    const endAmong = isOperator ? await begin(ofOperators, work, asked) : () => {};
    try {
      const end = await begin(turns, work, asked);
      work.begin();
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

async function begin(turns: Turns, { owner }: Work, asked: AskedTurn): Promise<() => void> {
  const turn = await turns.begin(ownerKey(owner), asked);
  switch (turn.kind) {
    case "begun":
      return turn.end;
    case "left":
      throw new WorkLeft();
    case "refused":
      throw new Fault(
        "rate_limited",
        "Too many requests of yours wait for each other: send fewer at a time.",
        { facts: { retryAfterMs: 1_000 } },
      );
  }
}
