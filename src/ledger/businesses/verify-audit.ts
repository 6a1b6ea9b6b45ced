import type { AuditVerdict } from "../../domain/business/audit.ts";
import {
  type AuditFault,
  type AuditKey,
  type AuditPlace,
  beginningOfAudit,
  type ChainedEntry,
  faultAfter,
  isSigned,
} from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";
import { findChained, readAnchor } from "./audit-chain.ts";
import { auditKeyOf, readBefore } from "./audit-key.ts";

/** Entries that one query reads. */
const batch = 1_000;

/** The most entries that a verdict names. */
const mostNamed = 20;

/**
 * Checks the chain from the first entry in the database to the last, in one snapshot. Entries cut
 * off at the end are only noticed with `head`, written down at an earlier time outside the
 * database.
 * @param head the place that was written down; null: none was
 * @throws Fault `invalid_request` if the head's entry is in a file by now, and no file ends with it
 */
export async function verifyAudit(db: Database, head: AuditPlace | null): Promise<AuditVerdict> {
  const key = auditKeyOf(db);
  return inSnapshot(db, async (tx) => {
    const rest = await readRest(tx, key);
    const anchor = await readAnchor(tx);
    const broken = (seq: bigint, fault: AuditFault): AuditVerdict => {
      return { kind: "broken", seq, fault, ...rest };
    };
    const [left] = await findChained(tx, { after: 0n, through: anchor.seq, limit: 1 });
    if (left !== undefined) return broken(left.seq, "archived");
    if (head !== null && head.seq <= anchor.seq && !(await isEndOfFile(tx, head)))
      return broken(head.seq, "other");
    const before = await readBefore(tx, key);
    let place = anchor;
    let isHeadFound = head === null || head.seq <= anchor.seq;
    for (;;) {
      const count = await tx.auditPlace.count({ where: { seq: { gt: place.seq } }, take: batch });
      const rows = await findChained(tx, { after: place.seq, through: null, limit: batch });
      for (const row of rows) {
        const fault = faultAfter(place, row) ?? faultOfSignature(key, before, row);
        if (fault !== null) return broken(place.seq + 1n, fault);
        place = { seq: row.seq, hash: row.hash };
        if (head?.seq === place.seq && head.hash !== place.hash) return broken(place.seq, "other");
        isHeadFound ||= head?.seq === place.seq;
      }
      if (rows.length < count) return broken(place.seq + 1n, "missing");
      if (count < batch) break;
    }
    if (!isHeadFound) return broken(head?.seq ?? 0n, "missing");
    const archived = anchor.seq === beginningOfAudit.seq ? null : anchor;
    return { kind: "whole", head: place, archived, ...rest };
  });
}

/**
 * The fault of an entry's signature, or null. An entry must have the key's MAC, or be from before
 * the key.
 */
function faultOfSignature(key: AuditKey, before: AuditPlace, row: ChainedEntry): AuditFault | null {
  if (row.mac !== null) return isSigned(key, row) ? null : "unsigned";
  if (row.seq > before.seq) return "unsigned";
  return row.seq === before.seq && row.hash !== before.hash ? "changed" : null;
}

/**
 * The entries without a place. Signed ones wait for their places. Others were not written by
 * Chainbell.
 */
async function readRest(
  tx: Tx,
  key: AuditKey,
): Promise<Pick<AuditVerdict, "unchained" | "inserted">> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT e.id FROM audit_entry e LEFT JOIN audit_place p ON p.entry_id = e.id
    WHERE p.seq IS NULL ORDER BY e.id`;
  let unchained = 0;
  const inserted: string[] = [];
  for (let from = 0; from < rows.length; from += batch) {
    const ids = rows.slice(from, from + batch).map(({ id }) => id);
    for (const entry of await tx.auditEntry.findMany({ where: { id: { in: ids } } }))
      if (isSigned(key, entry)) unchained += 1;
      else if (inserted.length < mostNamed) inserted.push(entry.id);
  }
  return { unchained, inserted: inserted.sort() };
}

/**
 * The ids of entries with neither a place nor a right MAC, at most twenty. The cost grows with the
 * entries without a place.
 */
export async function findInserted(db: Database): Promise<readonly string[]> {
  const key = auditKeyOf(db);
  return inSnapshot(db, async (tx) => (await readRest(tx, key)).inserted);
}

/**
 * True if a file ends with this entry and its hash. The entry itself is no longer in the database.
 * @throws Fault `invalid_request` if no known file ends with the entry
 */
async function isEndOfFile(tx: Tx, { seq, hash }: AuditPlace): Promise<boolean> {
  const anchor = await readAnchor(tx);
  if (anchor.seq === seq) return anchor.hash === hash;
  const archive = await tx.auditArchive.findUnique({ where: { throughSeq: seq } });
  if (archive !== null) return archive.throughHash === hash;
  throw new Fault(
    "invalid_request",
    `Entry ${seq} was archived. Name the file that it is in: audit verify --archive FILE --head ${seq}:${hash}`,
  );
}
