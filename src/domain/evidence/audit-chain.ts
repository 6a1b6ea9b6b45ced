import { createHash } from "node:crypto";

/** The part of an entry that its hash covers, beside its number and the hash before it. */
export type HashedEntry = {
  id: string;
  at: Date;
  actor: string;
  via: string;
  action: string;
  /** A value that JSON can hold. */
  details: unknown;
} & Record<"address" | "subject" | "businessId", string | null>;

/**
 * A place in the chain of the audit trail: an entry's number and hash. The hash covers the entry
 * and all before it.
 */
export type AuditPlace = { seq: bigint; hash: string };

export type ChainedEntry = HashedEntry & AuditPlace;

/** A part of the trail, with entries that follow each other. */
export type AuditStretch = { after: AuditPlace; through: AuditPlace };

/** The place before the first entry. */
export const beginningOfAudit: AuditPlace = { seq: 0n, hash: "0".repeat(64) };

/** The place of the entry that follows on `before`. */
export function placeAfter(before: AuditPlace, entry: HashedEntry): AuditPlace {
  const { id, at, actor, via, address, action, subject, details, businessId } = entry;
  const seq = before.seq + 1n;
  const fields = [id, at.toISOString(), actor, via, address, action, subject, businessId, details];
  const text = JSON.stringify([before.hash, String(seq), ...fields.map(inOrder)]);
  return { seq, hash: createHash("sha256").update(text).digest("hex") };
}

/** The fault of the entry that stands after `before`; null: it has none. */
export function faultAfter(before: AuditPlace, { seq, hash, ...entry }: ChainedEntry) {
  if (seq !== before.seq + 1n) return "is missing";
  return hash === placeAfter(before, entry).hash ? null : "was changed";
}

/** Puts the names of objects in order, because JSONB keeps them in an order of its own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)] as const);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}
