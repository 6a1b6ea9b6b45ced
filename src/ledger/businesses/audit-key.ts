import {
  type AuditKey,
  type AuditPlace,
  beginningOfAudit,
  macOfPlace,
} from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import type { Tx } from "../postgres/transaction.ts";

const keys = new WeakMap<Database, AuditKey>();

/**
 * Sets the key of a database. From then on it signs new entries of the audit trail, and checks
 * entries that are read.
 */
export function useAuditKey(db: Database, key: AuditKey): void {
  keys.set(db, key);
}

/** The key that `useAuditKey` set for a database. */
export function auditKeyOf(db: Database): AuditKey {
  const key = keys.get(db);
  if (key !== undefined) return key;
  throw new Fault(
    "invariant_broken",
    "This database was opened without the key of its audit trail.",
  );
}

/**
 * Reads the place of the last entry from before the key. An unsigned entry at a later place is not
 * of Chainbell.
 */
export async function readBefore(
  models: Pick<Tx, "installation">,
  key: AuditKey,
): Promise<AuditPlace> {
  const row = await models.installation.findFirst();
  const { auditBeforeSeq: seq = null, auditBeforeHash: hash = null } = row ?? {};
  if (seq === null || hash === null) return beginningOfAudit;
  const isRight = row?.auditBeforeMac === macOfPlace(key, { seq, hash });
  return isRight ? { seq, hash } : beginningOfAudit;
}
