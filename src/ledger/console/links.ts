import type { NewLink, TakenLink } from "../../domain/console/console-ledger.ts";
import { requireBusiness } from "../businesses/businesses.ts";
import { type Database, inTransaction } from "../postgres/database.ts";
import { toSubject } from "./session-row.ts";

/** How long before a fresh link's end another has to have ended to be forgotten. */
const keptMs = 86_400_000;

/** Keeps a fresh link, and forgets those that are too old. @throws Fault `business_not_found` */
export async function createLink(db: Database, link: NewLink): Promise<void> {
  const { digest, subject, madeBy, expiresAt } = link;
  const businessId = subject.kind === "business" ? subject.businessId : null;
  await inTransaction(db, async (tx) => {
    if (businessId !== null) await requireBusiness(tx, businessId);
    const longOver = new Date(expiresAt.getTime() - keptMs);
    await tx.consoleLink.deleteMany({ where: { expiresAt: { lt: longOver } } });
    await tx.consoleLink.create({
      data: { digest, businessId, role: subject.role, madeBy, expiresAt },
    });
  });
}

type Row = {
  businessId: string | null;
  role: string;
  madeBy: string;
  name: string | null;
  isVerified: boolean;
  isSuspended: boolean;
};

/**
 * Takes a link: the row goes as it is read, so of any number who show it at once one is let in. Where the transaction around it
 * fails the link is good again.
 */
export async function takeLink(db: Database, digest: string, at: Date): Promise<TakenLink | null> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.$queryRaw<Row[]>`
      WITH taken AS (
        DELETE FROM console_link WHERE digest = ${digest} RETURNING *
      )
      SELECT l.business_id AS "businessId", l.role, l.made_by AS "madeBy", b.name,
        b.verified_at IS NOT NULL AS "isVerified", b.suspended_at IS NOT NULL AS "isSuspended"
      FROM taken l LEFT JOIN business b ON b.id = l.business_id
      WHERE l.expires_at > ${at}`;
    const [row] = rows;
    if (row === undefined) return null;
    const { name, isVerified, isSuspended, madeBy } = row;
    const business = name === null ? null : { name, isVerified, isSuspended };
    return { subject: toSubject(row), madeBy, business };
  });
}
