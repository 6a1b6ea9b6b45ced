import {
  type AuditPlace,
  beginningOfAudit,
  type ChainedEntry,
  isSigned,
  placeAfter,
  type SignedEntry,
} from "../../domain/evidence/audit-chain.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { auditKeyOf } from "./audit-key.ts";

/**
 * An advisory lock's number, "chainbell audit" in digits. One process at a time gives places. No
 * request takes this lock.
 */
const chainLock = 7_163_384_643_246_254n;

/** Entries that get their places in one transaction. */
const batch = 1_000;

/** The outcome of one call of `chainAudit`. */
export type Chained = {
  placed: number;
  /** The ids of the entries without a right MAC. An id appears once. */
  refused: string[];
  /** True if more entries may wait for their places. */
  hasMore: boolean;
};

/**
 * Locks the chain until the transaction ends. Until then no other transaction adds to the chain, or
 * removes its oldest part. A request must never call this.
 */
export async function lockChain(tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${chainLock})`;
}

const nothing: Chained = { placed: 0, refused: [], hasMore: false };

/**
 * Gives waiting entries their places in the chain, in the order of their ids, up to 1,000 a call.
 * An entry without a right MAC gets no place, and is noted as refused. Safe to repeat. Of several
 * processes at once, one works.
 */
export async function chainAudit(db: Database): Promise<Chained> {
  const key = auditKeyOf(db);
  const [found] = await statementsOf(db).$queryRaw<{ waits: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM audit_waiting WHERE refused_at IS NULL) AS waits`;
  if (found?.waits !== true) return nothing;
  return inTransaction(db, async (tx) => {
    const [lock] = await tx.$queryRaw<{ isOurs: boolean }[]>`
      SELECT pg_try_advisory_xact_lock(${chainLock}) AS "isOurs"`;
    if (lock?.isOurs !== true) return nothing;
    const waiting = await tx.$queryRaw<{ id: string; isPlaced: boolean }[]>`
      SELECT w.entry_id AS id, p.seq IS NOT NULL AS "isPlaced"
      FROM audit_waiting w LEFT JOIN audit_place p ON p.entry_id = w.entry_id
      WHERE w.refused_at IS NULL ORDER BY w.entry_id LIMIT ${batch}`;
    const ids = waiting.filter(({ isPlaced }) => !isPlaced).map(({ id }) => id);
    const entries = await findEntries(tx, ids);
    const signed = entries.filter((entry) => isSigned(key, entry));
    const refused = entries.filter((entry) => !isSigned(key, entry)).map(({ id }) => id);
    await addPlaces(tx, signed);
    await tx.auditWaiting.updateMany({
      where: { entryId: { in: refused } },
      data: { refusedAt: new Date() },
    });
    // An entry that was deleted, or has its place already, stops waiting too.
    const done = waiting.map(({ id }) => id).filter((id) => !refused.includes(id));
    await tx.auditWaiting.deleteMany({ where: { entryId: { in: done } } });
    return { placed: signed.length, refused, hasMore: waiting.length === batch };
  });
}

/**
 * Gives places to the entries from before the installation had a key. Answers the end of the chain.
 * The caller stores the key in the same transaction.
 */
export async function placeUnsigned(tx: Tx): Promise<AuditPlace> {
  await lockChain(tx);
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT e.id FROM audit_entry e
    WHERE e.mac IS NULL AND NOT EXISTS (SELECT 1 FROM audit_place p WHERE p.entry_id = e.id)
    ORDER BY e.id`;
  const ids = rows.map(({ id }) => id);
  const last = await addPlaces(tx, await findEntries(tx, ids));
  await tx.auditWaiting.deleteMany({ where: { entryId: { in: ids } } });
  return last;
}

function findEntries(tx: Tx, ids: readonly string[]): Promise<SignedEntry[]> {
  return tx.auditEntry.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: "asc" } });
}

/** Adds entries to the end of the chain, and answers its new end. */
async function addPlaces(tx: Tx, entries: readonly SignedEntry[]): Promise<AuditPlace> {
  const end = await tx.auditPlace.findFirst({ orderBy: { seq: "desc" } });
  let last: AuditPlace = end ?? (await readAnchor(tx));
  const data = entries.map((entry) => {
    last = placeAfter(last, entry);
    return { ...last, entryId: entry.id };
  });
  await tx.auditPlace.createMany({ data });
  const { seq, hash } = last;
  return { seq, hash };
}

/**
 * Reads the place of the last entry that was removed to a file. The entries in the database begin
 * after it.
 */
export async function readAnchor(tx: Tx): Promise<AuditPlace> {
  const last = await tx.auditArchive.findFirst({ orderBy: { removedSeq: "desc" } });
  return last === null ? beginningOfAudit : { seq: last.removedSeq, hash: last.removedHash };
}

type Stretch = { after: bigint; through: bigint | null; limit: number };

/**
 * At most `limit` entries after one number and up to another, in order. Entries without a place in
 * the chain are left out.
 */
export async function readChained(db: Database, stretch: Stretch): Promise<ChainedEntry[]> {
  return reaching(() => findChained(modelsOf(db), stretch));
}

/** As readChained, in the caller's transaction. A place whose entry was deleted is left out. */
export async function findChained(
  models: Pick<Tx, "auditPlace" | "auditEntry">,
  { after, through, limit }: Stretch,
): Promise<ChainedEntry[]> {
  const places = await models.auditPlace.findMany({
    where: { seq: { gt: after, ...(through === null ? {} : { lte: through }) } },
    orderBy: { seq: "asc" },
    take: limit,
  });
  const ids = places.map(({ entryId }) => entryId);
  const entries = await models.auditEntry.findMany({ where: { id: { in: ids } } });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return places.flatMap(({ seq, hash, entryId }) => {
    const entry = byId.get(entryId);
    return entry === undefined ? [] : [{ ...entry, seq, hash }];
  });
}
