import type { AuditVerdict } from "../../domain/business/audit.ts";
import {
  type AuditPlace,
  beginningOfAudit,
  type ChainedEntry,
  faultAfter,
  type HashedEntry,
  placeAfter,
} from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { type Models, modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";

/** One entry is added at a time, by whatever process: "chainbell audit" in a lock number. */
const chainLock = 7_163_384_643_246_254n;

/** Read at once while the chain is checked. */
const batch = 1_000;

/**
 * Until this transaction ends nothing else is added to the chain, and nothing is removed from its
 * beginning.
 */
export async function lockChain(tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${chainLock})`;
}

/**
 * Where an entry stands in the chain that is added in this transaction, and the hash that covers it
 * and all before it.
 */
export async function placeInChain(tx: Tx, entry: HashedEntry): Promise<AuditPlace> {
  await lockChain(tx);
  const last = await tx.auditEntry.findFirst({
    where: { seq: { not: null } },
    orderBy: { seq: "desc" },
    select: { seq: true, hash: true },
  });
  return placeAfter(placeOf(last) ?? (await readAnchor(tx)), entry);
}

/** The last entry that was removed to a file: what is left begins after it. */
export async function readAnchor(tx: Tx): Promise<AuditPlace> {
  const last = await tx.auditArchive.findFirst({ orderBy: { removedSeq: "desc" } });
  return last === null ? beginningOfAudit : { seq: last.removedSeq, hash: last.removedHash };
}

/**
 * At most `limit` entries after a number and up to another, in order. Those without a place in the
 * chain are none of them.
 */
export async function readChained(
  db: Database,
  stretch: { after: bigint; through: bigint | null; limit: number },
): Promise<ChainedEntry[]> {
  return reaching(() => findChained(modelsOf(db), stretch));
}

async function findChained(
  models: Models,
  { after, through, limit }: { after: bigint; through: bigint | null; limit: number },
): Promise<ChainedEntry[]> {
  const rows = await models.auditEntry.findMany({
    where: { seq: { gt: after, ...(through === null ? {} : { lte: through }) } },
    orderBy: { seq: "asc" },
    take: limit,
  });
  return rows.flatMap((row) => {
    const place = placeOf(row);
    return place === null ? [] : [{ ...row, ...place }];
  });
}

/** Null: it has none. */
function placeOf(row: { seq: bigint | null; hash: string | null } | null): AuditPlace | null {
  return row === null || row.seq === null ? null : { seq: row.seq, hash: row.hash ?? "" };
}

/**
 * Follows the chain from the first entry that is here to its last, in one snapshot. Only a head
 * that was written down elsewhere shows that entries were cut off at its end.
 * @param head the last entry that was known once; null: none was written down
 * @throws Fault `invalid_request` where the head is of an entry that is in a file by now, and not
 *   the last one there
 */
export async function verifyAudit(db: Database, head: AuditPlace | null): Promise<AuditVerdict> {
  return inSnapshot(db, async (tx) => {
    const unchained = await tx.auditEntry.count({ where: { seq: null } });
    const anchor = await readAnchor(tx);
    const broken = (seq: bigint, what: string): AuditVerdict => {
      return { kind: "broken", seq, what, unchained };
    };
    const [left] = await findChained(tx, { after: 0n, through: anchor.seq, limit: 1 });
    if (left !== undefined) return broken(left.seq, "was archived and stands here again");
    if (head !== null && head.seq <= anchor.seq && !(await isEndOfFile(tx, head)))
      return broken(head.seq, notThatOne);
    let place = anchor;
    let isHeadFound = head === null || head.seq <= anchor.seq;
    for (;;) {
      const rows = await findChained(tx, { after: place.seq, through: null, limit: batch });
      for (const row of rows) {
        const what = faultAfter(place, row);
        if (what !== null) return broken(place.seq + 1n, what);
        place = { seq: row.seq, hash: row.hash };
        if (head?.seq === place.seq && head.hash !== place.hash)
          return broken(place.seq, notThatOne);
        isHeadFound ||= head?.seq === place.seq;
      }
      if (rows.length < batch) break;
    }
    if (!isHeadFound) return broken(head?.seq ?? 0n, "is missing");
    const archived = anchor.seq === beginningOfAudit.seq ? null : anchor;
    return { kind: "whole", head: place, archived, unchained };
  });
}

const notThatOne = "is not the one that was written down";

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
