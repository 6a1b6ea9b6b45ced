import type { AuditPlace, AuditStretch } from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, inTransaction, type Tx } from "../postgres/transaction.ts";
import { lockChain, readAnchor } from "./audit-chain.ts";

/**
 * Finds the part of the trail that is older than a time. The part begins with the first entry in
 * the database, and ends before the first entry that is not older. In an empty part, `through` is
 * the number of `after`.
 */
export async function planArchive(
  db: Database,
  before: Date,
): Promise<{ after: AuditPlace; through: bigint }> {
  return inSnapshot(db, async (tx) => {
    const after = await readAnchor(tx);
    const [ends] = await tx.$queryRaw<{ through: bigint }[]>`
      SELECT COALESCE(min(p.seq) FILTER (WHERE e.at >= ${before}) - 1, max(p.seq), 0) AS through
      FROM audit_place p JOIN audit_entry e ON e.id = p.entry_id`;
    return { after, through: ends?.through ?? 0n };
  });
}

/**
 * True if a file is on record for exactly this part of the trail. Then its entries may be removed
 * from the database.
 */
export async function isArchived(db: Database, { after, through }: AuditStretch): Promise<boolean> {
  const row = await inSnapshot(db, (tx) =>
    tx.auditArchive.findUnique({ where: { throughSeq: through.seq } }),
  );
  return (
    row !== null &&
    row.throughHash === through.hash &&
    row.afterSeq === after.seq &&
    row.afterHash === after.hash
  );
}

/**
 * True if a file with this part is on record, or could be put on record now. False: the part is not
 * of this trail, or does not begin with its oldest entry.
 */
export async function knowsArchive(db: Database, stretch: AuditStretch): Promise<boolean> {
  if (await isArchived(db, stretch)) return true;
  return inSnapshot(db, (tx) => fits(tx, stretch));
}

/**
 * Puts on record that a file holds the oldest part of the trail. Removes nothing yet.
 * @throws Fault `invalid_request` if the part is not the oldest one here
 */
export async function beginArchive(tx: Tx, stretch: AuditStretch): Promise<void> {
  const { after, through } = stretch;
  await lockChain(tx);
  if (!(await fits(tx, stretch)))
    throw new Fault(
      "invalid_request",
      `The file does not hold the oldest entries of the trail, or another file is on record for them. It begins after ${after.seq} and ends with ${through.seq}. Nothing was removed.`,
    );
  await tx.auditArchive.create({
    data: {
      throughSeq: through.seq,
      throughHash: through.hash,

      afterSeq: after.seq,
      afterHash: after.hash,

      removedSeq: after.seq,
      removedHash: after.hash,
    },
  });
}

async function fits(tx: Tx, { after, through }: AuditStretch): Promise<boolean> {
  const anchor = await readAnchor(tx);
  const last = await tx.auditPlace.findUnique({ where: { seq: through.seq } });
  const other = await tx.auditArchive.findUnique({ where: { throughSeq: through.seq } });
  const isOldest = anchor.seq === after.seq && anchor.hash === after.hash;
  return isOldest && last?.hash === through.hash && other === null;
}

/**
 * Removes the entries up to `upTo` that a file on record holds, in one transaction. Safe to repeat,
 * and for several processes.
 * @param upTo an entry of the file: it is removed together with all entries before it
 * @returns how many were removed
 * @throws Fault `invariant_broken` if the trail has another entry there, or lacks some. Then
 *   nothing is removed
 */
export async function removeArchived(
  db: Database,
  { through, upTo }: { through: bigint; upTo: AuditPlace },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    await lockChain(tx);
    const anchor = await readAnchor(tx);
    if (anchor.seq >= upTo.seq) return 0;
    const last = await tx.auditPlace.findUnique({ where: { seq: upTo.seq } });
    const removed = await tx.$executeRaw`
      WITH gone AS (
        DELETE FROM audit_place WHERE seq > ${anchor.seq} AND seq <= ${upTo.seq} RETURNING entry_id
      )
      DELETE FROM audit_entry e USING gone WHERE e.id = gone.entry_id`;
    if (last?.hash !== upTo.hash || BigInt(removed) !== upTo.seq - anchor.seq)
      throw new Fault(
        "invariant_broken",
        `The trail was changed since it was archived, at or before entry ${upTo.seq}: see audit verify.`,
      );
    await tx.auditArchive.update({
      where: { throughSeq: through },
      data: { removedSeq: upTo.seq, removedHash: upTo.hash },
    });
    return removed;
  });
}
