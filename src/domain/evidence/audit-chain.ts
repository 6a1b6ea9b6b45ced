import { createHash, createHmac } from "node:crypto";

/**
 * The ways in which a change is made. `api`: by a business itself; the actor's name is then the
 * key's id. `console`: in a session of a business; the name is then the session's id. `sql`:
 * Chainbell did not write the entry, so nobody knows.
 */
export const actorVias = ["http", "cli", "system", "api", "console", "sql"] as const;

export type ActorVia = (typeof actorVias)[number];

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

/** An entry with its signature. Null: it was made before the installation had a key. */
export type SignedEntry = HashedEntry & { mac: string | null };

export type ChainedEntry = SignedEntry & AuditPlace;

/** The key that signs the entries of one installation: 32 bytes. */
export type AuditKey = { bytes: Uint8Array };

/**
 * The entries that wait for their place: since when the oldest waits, and how many were refused.
 * Null: none waits.
 */
export type AuditWaiting = { since: Date | null; refused: number };

/** The text that the encrypted key is bound to, so that no other ciphertext passes for it. */
export const auditKeyBoundTo = "the audit trail";

/** A part of the trail, with entries that follow each other. */
export type AuditStretch = { after: AuditPlace; through: AuditPlace };

/** The place before the first entry. */
export const beginningOfAudit: AuditPlace = { seq: 0n, hash: "0".repeat(64) };

/** The MAC of an entry: HMAC-SHA256 (RFC 2104), hex. It does not cover the entry's place. */
export function macOf({ bytes }: AuditKey, entry: HashedEntry): string {
  return createHmac("sha256", bytes)
    .update(JSON.stringify(fieldsOf(entry)))
    .digest("hex");
}

/** True if the installation's key signed the entry as it is now. */
export function isSigned(key: AuditKey, { mac, ...entry }: SignedEntry): boolean {
  return mac !== null && mac === macOf(key, entry);
}

/** The key's MAC of the last entry that was made before the key. */
export function macOfPlace({ bytes }: AuditKey, { seq, hash }: AuditPlace): string {
  return createHmac("sha256", bytes).update(`before ${seq} ${hash}`).digest("hex");
}

/** The place of the entry that follows on `before`. */
export function placeAfter(before: AuditPlace, { mac, ...entry }: SignedEntry): AuditPlace {
  const seq = before.seq + 1n;
  const signature = mac === null ? [] : [mac];
  const text = JSON.stringify([before.hash, String(seq), ...fieldsOf(entry), ...signature]);
  return { seq, hash: createHash("sha256").update(text).digest("hex") };
}

function fieldsOf(entry: HashedEntry): unknown[] {
  const { id, at, actor, via, address, action, subject, details, businessId } = entry;
  const fields = [id, at.toISOString(), actor, via, address, action, subject, businessId, details];
  return fields.map(inOrder);
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
