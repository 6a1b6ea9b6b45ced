import type { AuditVerdict } from "../../domain/business/audit.ts";
import {
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

/** Read at once while the chain is checked. */
const batch = 1_000;

/** The most entries that a verdict names. */
const mostNamed = 20;

/**
 * Follows the chain from the first entry that is here to its last, in one snapshot. Only a head
 * that was written down elsewhere shows that entries were cut off at its end.
 * @param head the last entry that was known once; null: none was written down
 * @throws Fault `invalid_request` where the head is of an entry that is in a file by now, and not
 *   the last one there
 */
export async function verifyAudit(db: Database, head: AuditPlace | null): Promise<AuditVerdict> {
  const key = auditKeyOf(db);
  return inSnapshot(db, async (tx) => {
    const rest = await readRest(tx, key);
    const anchor = await readAnchor(tx);
    const broken = (seq: bigint, what: string): AuditVerdict => {
      return { kind: "broken", seq, what, ...rest };
    };
    const [left] = await findChained(tx, { after: 0n, through: anchor.seq, limit: 1 });
    if (left !== undefined) return broken(left.seq, "was archived and stands here again");
    if (head !== null && head.seq <= anchor.seq && !(await isEndOfFile(tx, head)))
      return broken(head.seq, notThatOne);
    const before = await readBefore(tx, key);
    let place = anchor;
    let isHeadFound = head === null || head.seq <= anchor.seq;
    for (;;) {
      const count = await tx.auditPlace.count({ where: { seq: { gt: place.seq } }, take: batch });
      const rows = await findChained(tx, { after: place.seq, through: null, limit: batch });
      for (const row of rows) {
        const what = faultAfter(place, row) ?? faultOfSignature(key, before, row);
        if (what !== null) return broken(place.seq + 1n, what);
        place = { seq: row.seq, hash: row.hash };
        if (head?.seq === place.seq && head.hash !== place.hash)
          return broken(place.seq, notThatOne);
        isHeadFound ||= head?.seq === place.seq;
      }
      if (rows.length < count) return broken(place.seq + 1n, "is missing");
      if (count < batch) break;
    }
    if (!isHeadFound) return broken(head?.seq ?? 0n, "is missing");
    const archived = anchor.seq === beginningOfAudit.seq ? null : anchor;
    return { kind: "whole", head: place, archived, ...rest };
  });
}

const notThatOne = "is not the one that was written down";

/** An entry has the key's MAC, or was made before there was a key. */
function faultOfSignature(key: AuditKey, before: AuditPlace, row: ChainedEntry): string | null {
  if (row.mac !== null) return isSigned(key, row) ? null : unsigned;
  if (row.seq > before.seq) return unsigned;
  return row.seq === before.seq && row.hash !== before.hash ? "was changed" : null;
}

const unsigned = "was not written by Chainbell: it has no right MAC";

/** The entries without a place: those that wait for one, and those that somebody else inserted. */
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
 * The entries that have no place and no right MAC, at most twenty. Costs as much as there are
 * entries without a place.
 */
export async function findInserted(db: Database): Promise<readonly string[]> {
  const key = auditKeyOf(db);
  return inSnapshot(db, async (tx) => (await readRest(tx, key)).inserted);
}

/**
 * True if an entry that is here no more was the last one of a file, with this hash.
 * @throws Fault `invalid_request` where no file is known to end with the entry
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
