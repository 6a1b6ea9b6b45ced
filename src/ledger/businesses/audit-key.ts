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

/** From now on the key signs what goes on record through this database, and checks what is read. */
export function useAuditKey(db: Database, key: AuditKey): void {
  keys.set(db, key);
}

/** The key of a database that `useAuditKey` was called for. */
export function auditKeyOf(db: Database): AuditKey {
  const key = keys.get(db);
  if (key !== undefined) return key;
  throw new Fault(
    "invariant_broken",
    "This database was opened without the key of its audit trail.",
  );
}

/**
 * The last entry that was made before the key. Chainbell did not write an unsigned entry that
 * stands after it.
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
