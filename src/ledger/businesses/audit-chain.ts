import { createHash } from "node:crypto";
import type { AuditVerdict } from "../../domain/business/audit.ts";
import type { AuditEntry as Row } from "../generated/client.ts";
import { type Database, inSnapshot, type Tx } from "../postgres/database.ts";

/** What an entry's hash covers. */
type Hashed = Omit<Row, "seq" | "hash">;

/** One entry is added at a time, by whatever process: "chainbell audit" in a lock number. */
const chainLock = 7_163_384_643_246_254n;

/** What stands before the first entry. */
const beginning = "0".repeat(64);

/** Read at once while the chain is checked. */
const batch = 1_000;

/** Where an entry stands in the chain that is added in this transaction, and the hash that covers it and all before it. */
export async function placeInChain(tx: Tx, entry: Hashed): Promise<{ seq: bigint; hash: string }> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${chainLock})`;
  const last = await tx.auditEntry.findFirst({
    where: { seq: { not: null } },
    orderBy: { seq: "desc" },
    select: { seq: true, hash: true },
  });
  const seq = (last?.seq ?? 0n) + 1n;
  return { seq, hash: hashOf(last?.hash ?? beginning, seq, entry) };
}

/**
 * Follows the chain from its first entry to its last, in one snapshot. What was cut off at its end shows only against a head
 * that was written down elsewhere.
 * @param head the last entry that was known once; null: none was written down
 */
export async function verifyAudit(
  db: Database,
  head: { seq: bigint; hash: string } | null,
): Promise<AuditVerdict> {
  return inSnapshot(db, async (tx) => {
    const unchained = await tx.auditEntry.count({ where: { seq: null } });
    let [seq, hash] = [0n, beginning];
    let isHeadFound = head === null;
    for (;;) {
      const rows = await tx.auditEntry.findMany({
        where: { seq: { gt: seq } },
        orderBy: { seq: "asc" },
        take: batch,
      });
      for (const { seq: rowSeq, hash: rowHash, ...entry } of rows) {
        seq += 1n;
        const expected = hashOf(hash, seq, entry);
        if (rowSeq !== seq) return broken(seq, "is missing", unchained);
        if (rowHash !== expected) return broken(seq, "was changed", unchained);
        hash = expected;
        if (head?.seq === seq && head.hash !== hash)
          return broken(seq, "is not the one that was written down", unchained);
        isHeadFound ||= head?.seq === seq;
      }
      if (rows.length < batch) break;
    }
    if (!isHeadFound) return broken(head?.seq ?? 0n, "is missing", unchained);
    return { kind: "whole", head: { seq, hash }, unchained };
  });
}

function broken(seq: bigint, what: string, unchained: number): AuditVerdict {
  return { kind: "broken", seq, what, unchained };
}

function hashOf(before: string, seq: bigint, entry: Hashed): string {
  const { id, at, actor, via, address, action, subject, details, businessId } = entry;
  const fields = [id, at.toISOString(), actor, via, address, action, subject, businessId, details];
  const text = JSON.stringify([before, String(seq), ...fields.map(inOrder)]);
  return createHash("sha256").update(text).digest("hex");
}

/** JSONB keeps an object's names in an order of its own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)] as const);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}
