import type { FoundLink, NewLink } from "../../domain/console/console-ledger.ts";
import { sessionIn, sessionOver } from "../../domain/console/session.ts";
import { requireBusiness } from "../businesses/businesses.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { keyWorksAt, toSubject } from "./session-row.ts";

/** A new link deletes links that ended this many ms before its own end. */
const keptMs = 86_400_000;

/**
 * Stores a new link, and deletes old ones.
 * @throws Fault `business_not_found`; `console_session_over` if the session that makes it has ended
 */
export async function createLink(tx: Tx, link: NewLink): Promise<void> {
  const { digest, subject, madeBy, keyId, expiresAt } = link;
  const businessId = subject.kind === "business" ? subject.businessId : null;
  if (businessId !== null) await requireBusiness(tx, businessId);
  await requireMaker(tx, madeBy);
  const longOver = new Date(expiresAt.getTime() - keptMs);
  await tx.consoleLink.deleteMany({ where: { expiresAt: { lt: longOver } } });
  await tx.consoleLink.create({
    data: { digest, businessId, role: subject.role, madeBy, keyId, expiresAt },
  });
}

/**
 * Locks the session that makes a link. If it is revoked at that moment, the link is refused, or the
 * end of the session finds it.
 */
async function requireMaker(tx: Tx, madeBy: string): Promise<void> {
  const sessionId = sessionIn(madeBy);
  if (sessionId === null) return;
  const open = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM console_session WHERE id = ${sessionId}::uuid AND ended_at IS NULL FOR SHARE`;
  if (open.length === 0) throw sessionOver();
}

/**
 * Stores a new link without an entry in the audit trail. For development mode, which has no actor
 * to name.
 */
export async function createUnrecordedLink(db: Database, link: NewLink): Promise<void> {
  await inTransaction(db, (tx) => createLink(tx, link));
}

type Row = {
  businessId: string | null;
  role: string;
  madeBy: string;
  keyId: string | null;
  name: string | null;
  isVerified: boolean;
  isSuspended: boolean;
};

/** Finds a link that is still valid, as its key is, without using it up. */
export async function findLink(db: Database, digest: string, at: Date): Promise<FoundLink | null> {
  const rows = await readRows<Row>(
    db,
    Prisma.sql`
      SELECT l.business_id AS "businessId", l.role, l.made_by AS "madeBy", l.key_id AS "keyId", b.name,
        b.verified_at IS NOT NULL AS "isVerified", b.suspended_at IS NOT NULL AS "isSuspended"
      FROM console_link l LEFT JOIN business b ON b.id = l.business_id LEFT JOIN api_key k ON k.id = l.key_id
      WHERE l.digest = ${digest} AND l.expires_at > ${at} AND ${keyWorksAt(at)}`,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { name, isVerified, isSuspended, madeBy, keyId } = row;
  const business = name === null ? null : { name, isVerified, isSuspended };
  return { subject: toSubject(row), madeBy, keyId, business };
}

/**
 * Uses a link up: true for exactly one of several callers at once. The row is deleted. If the
 * caller's transaction fails, the link is valid again.
 */
export async function takeLink(tx: Tx, digest: string, at: Date): Promise<boolean> {
  const { count } = await tx.consoleLink.deleteMany({
    where: { digest, expiresAt: { gt: at } },
  });
  return count > 0;
}
