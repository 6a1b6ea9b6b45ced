import { createHash, createHmac } from "node:crypto";

/**
 * The way in which a change was made. `api`: by a business, and the actor's name is the key's id.
 * `console`: in a business's session, and the name is the session's id. `sql`: Chainbell did not
 * write the entry, so the actor is unknown.
 */
export const actorVias = ["http", "cli", "system", "api", "console", "sql"] as const;

export type ActorVia = (typeof actorVias)[number];

/** The part of an entry that its hash covers, besides its number and the hash before it. */
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
 * The entries that wait for their place: since when the oldest has waited, and how many were
 * refused. Null: none waits.
 */
export type AuditWaiting = { since: Date | null; refused: number };

/** The name to which the encrypted key is bound. So no other encrypted text can replace it. */
export const auditKeyBoundTo = "the audit trail";

/** A part of the trail: successive entries. */
export type AuditStretch = { after: AuditPlace; through: AuditPlace };

/** The place before the first entry. */
export const beginningOfAudit: AuditPlace = { seq: 0n, hash: "0".repeat(64) };

/** The MAC of an entry: HMAC-SHA256 (RFC 2104), hex. It does not cover the entry's place. */
export function macOf({ bytes }: AuditKey, entry: HashedEntry): string {
  return createHmac("sha256", bytes)
    .update(JSON.stringify(fieldsOf(entry)))
    .digest("hex");
}

/** True if the installation's key signed the entry as it stands. */
export function isSigned(key: AuditKey, { mac, ...entry }: SignedEntry): boolean {
  return mac !== null && mac === macOf(key, entry);
}

/** The key's MAC of the last entry from before the key. */
export function macOfPlace({ bytes }: AuditKey, { seq, hash }: AuditPlace): string {
  return createHmac("sha256", bytes).update(`before ${seq} ${hash}`).digest("hex");
}

/** The place of the entry that follows `before`. */
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

/** The possible faults of an entry, each in words that follow its number. */
export const auditFaults = {
  missing: "is missing",
  changed: "was changed",
  unsigned: "was not written by Chainbell: it has no right MAC",
  archived: "was archived and stands here again",
  other: "is not the one that was written down",
} as const;

export type AuditFault = keyof typeof auditFaults;

/** The fault of the entry after `before`; null: it has none. */
export function faultAfter(
  before: AuditPlace,
  { seq, hash, ...entry }: ChainedEntry,
): AuditFault | null {
  if (seq !== before.seq + 1n) return "missing";
  return hash === placeAfter(before, entry).hash ? null : "changed";
}

/** Sorts the names of objects, because JSONB has an order of its own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)] as const);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}
