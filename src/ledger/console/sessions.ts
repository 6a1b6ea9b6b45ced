import { mostOfBusiness } from "../../domain/business/rate-limit.ts";
import type {
  EndedSession,
  NewSession,
  SessionOwner,
} from "../../domain/console/console-ledger.ts";
import {
  type ConsoleSession,
  type FoundSession,
  holderOf,
  keyBehind,
  madeBySession,
  seenEveryMs,
  sessionIdleMs,
  sessionLifetimeMs,
} from "../../domain/console/session.ts";
import { notFound } from "../../domain/not-found.ts";
import { Prisma, type ConsoleSession as Row } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { prepared } from "../postgres/statement.ts";
import { readRows } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";
import { keyWorksAt, toOrigin, toSession } from "./session-row.ts";

/**
 * A session is kept for this long after its end, in ms, to answer questions about it. The audit
 * trail keeps it for ever.
 */
const keptMs = 7 * 86_400_000;

/**
 * Begins a session, and deletes those that ended long ago. If its owner then has too many open,
 * ends those that were unused for longest.
 */
export async function beginSession(tx: Tx, session: NewSession): Promise<ConsoleSession> {
  const { id, digest, subject, origin, address, at } = session;
  await tx.$executeRaw`
    DELETE FROM console_session WHERE expires_at < ${new Date(at.getTime() - keptMs)}`;
  const row = await tx.consoleSession.create({
    data: {
      id,
      digest,
      role: subject.role,
      address,
      createdAt: at,
      seenAt: at,
      businessId: subject.kind === "business" ? subject.businessId : null,
      way: origin.way,
      holder: holderOf(origin),
      keyId: keyBehind(origin),
      credential: "credential" in origin ? origin.credential : null,
      expiresAt: new Date(at.getTime() + sessionLifetimeMs),
    },
  });
  await endBeyondLimit(tx, row);
  return toSession(row);
}

/** Ends an owner's open sessions beyond the limit, those that were unused for longest. */
async function endBeyondLimit(tx: Tx, { businessId, createdAt: at }: Row): Promise<void> {
  const most = businessId === null ? maxListed : mostOfBusiness.sessions;
  // No index serves IS NOT DISTINCT FROM: the sessions of all businesses would be read.
  const isIts =
    businessId === null
      ? Prisma.sql`business_id IS NULL`
      : Prisma.sql`business_id = ${businessId}::uuid`;
  await tx.$executeRaw`
    UPDATE console_session SET ended_at = ${at} WHERE id IN (
      SELECT id FROM console_session
      WHERE ${isIts} AND ended_at IS NULL
        AND expires_at > ${at} AND seen_at > ${new Date(at.getTime() - sessionIdleMs)}
      ORDER BY seen_at DESC, id DESC OFFSET ${most}
    )`;
}

/** The conditions of an open session: not ended, not too old, and used lately. */
function openAt(at: Date) {
  return {
    endedAt: null,
    expiresAt: { gt: at },
    seenAt: { gt: new Date(at.getTime() - sessionIdleMs) },
  };
}

/** The conditions of an API key that works. */
function workingAt(at: Date) {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] };
}

type FoundRow = Row & {
  name: string | null;
  verifiedAt: Date | null;
  suspendedAt: Date | null;
  isOpen: boolean;
};

/**
 * Finds the session by the digest of its secret. "over": it has ended for ever; null: there is
 * none. It does not go through Prisma, since each request of a page asks it.
 */
export async function findSession(
  db: Database,
  digest: string,
  at: Date,
): Promise<FoundSession | "over" | null> {
  const [row] = await readRows<FoundRow>(
    db,
    Prisma.sql`${prepared}
      SELECT s.id, s.digest, s.business_id AS "businessId", s.role, s.way, s.holder, s.credential, s.key_id AS "keyId", s.address,
        s.created_at AS "createdAt", s.seen_at AS "seenAt", s.expires_at AS "expiresAt", s.ended_at AS "endedAt",
        b.name, b.verified_at AS "verifiedAt", b.suspended_at AS "suspendedAt",
        s.ended_at IS NULL AND s.expires_at > ${at}
          AND s.seen_at > ${new Date(at.getTime() - sessionIdleMs)} AS "isOpen"
      FROM console_session s LEFT JOIN business b ON b.id = s.business_id
      WHERE s.digest = ${digest}`,
  );
  if (row === undefined) return null;
  if (!row.isOpen) return "over";
  const { name, verifiedAt, suspendedAt } = row;
  return {
    ...toSession(row),
    business:
      name === null
        ? null
        : { name, isVerified: verifiedAt !== null, isSuspended: suspendedAt !== null },
  };
}

/** The most secrets in the answer of `listUsedSecrets`. */
const mostUsed = 10_000;

/**
 * The digests of secrets that open the console, the last used first. These are links, and sessions
 * used since a moment. A link counts as used now.
 */
export async function listUsedSecrets(
  db: Database,
  since: Date,
  at: Date,
): Promise<{ digest: string; usedAt: Date }[]> {
  return readRows(
    db,
    Prisma.sql`
      SELECT digest, seen_at AS "usedAt" FROM console_session
      WHERE ended_at IS NULL AND expires_at > ${at} AND seen_at > ${since}
      UNION ALL SELECT digest, ${at}::timestamptz FROM console_link WHERE expires_at > ${at}
      ORDER BY 2 DESC LIMIT ${mostUsed}`,
  );
}

/**
 * Notes that a session is in use, so that it does not end for being idle. Writes at most once a
 * minute.
 */
export async function noteSeen(db: Database, id: string, at: Date): Promise<void> {
  const before = new Date(at.getTime() - seenEveryMs);
  await reaching(() =>
    modelsOf(db).consoleSession.updateMany({
      where: { id, seenAt: { lt: before } },
      data: { seenAt: at },
    }),
  );
}

/** The open sessions whose API key still works, newest first. */
export async function listSessions(
  db: Database,
  { businessId }: SessionOwner,
  at: Date,
): Promise<ConsoleSession[]> {
  const rows = await reaching(() =>
    modelsOf(db).consoleSession.findMany({
      where: { businessId, ...openAt(at), OR: [{ keyId: null }, { key: workingAt(at) }] },
      orderBy: { id: "desc" },
      take: maxListed,
    }),
  );
  return rows.map(toSession);
}

/** The operators together have at most this many open sessions. A business has fewer. */
const maxListed = 500;

/**
 * Ends a session for ever. `withLinks`: the links that it made and nobody has used end with it.
 * @throws Fault `console_session_not_found`, also for a session that is over or of another owner
 */
export async function endSession(
  tx: Tx,
  { businessId }: SessionOwner,
  { id, at, withLinks }: EndedSession,
): Promise<void> {
  const { count } = await tx.consoleSession.updateMany({
    where: { id, businessId, ...openAt(at) },
    data: { endedAt: at },
  });
  if (count === 0) throw notFound("console_session_not_found");
  if (withLinks) await tx.consoleLink.deleteMany({ where: { madeBy: madeBySession(id) } });
}

/**
 * The open ones of these sessions whose business and API key still work. The caller checks whether
 * the origin of an operator's session still counts.
 */
export async function findOpen(
  db: Database,
  ids: readonly string[],
  at: Date,
): Promise<Pick<ConsoleSession, "id" | "origin">[]> {
  const rows = await readRows<Pick<Row, "id" | "way" | "holder" | "credential" | "keyId">>(
    db,
    Prisma.sql`
      SELECT s.id, s.way, s.holder, s.credential, s.key_id AS "keyId" FROM console_session s
      LEFT JOIN business b ON b.id = s.business_id LEFT JOIN api_key k ON k.id = s.key_id
      WHERE s.id = ANY(${[...ids]}::uuid[]) AND s.ended_at IS NULL AND s.expires_at > ${at}
        AND s.seen_at > ${new Date(at.getTime() - sessionIdleMs)}
        AND (s.business_id IS NULL OR b.verified_at IS NOT NULL AND b.suspended_at IS NULL)
        AND ${keyWorksAt(at)}`,
  );
  return rows.map((row) => ({ id: row.id, origin: toOrigin(row) }));
}
