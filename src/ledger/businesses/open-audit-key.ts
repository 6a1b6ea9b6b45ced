import { randomBytes } from "node:crypto";
import { type AuditKey, macOfPlace } from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { placeUnsigned } from "./audit-chain.ts";

/** The encryption of the key as it is stored. `open` throws Fault `wrong_encryption_key`. */
export type Sealing = { seal: (plain: string) => string; open: (stored: string) => string };

/**
 * Reads the key that signs the audit trail, or makes it at the first call. A new key signs the end
 * of the chain as it was before. Safe to repeat, and for any number of processes.
 * @throws Fault `wrong_encryption_key`
 */
export async function openAuditKey(db: Database, sealing: Sealing): Promise<AuditKey> {
  const known = await findAuditKey(db, sealing);
  if (known !== null) return known;
  await inTransaction(db, async (tx) => {
    const [row] = await tx.$queryRaw<{ isMade: boolean }[]>`
      SELECT audit_key_ciphertext IS NOT NULL AS "isMade" FROM installation FOR UPDATE`;
    if (row === undefined || row.isMade) return;
    await makeKey(tx, sealing);
  });
  const made = await findAuditKey(db, sealing);
  if (made !== null) return made;
  throw new Fault("invariant_broken", "The installation has no row to keep its key in.");
}

/**
 * Reads the key that signs the audit trail; null: there is none yet.
 * @throws Fault `wrong_encryption_key`
 */
export async function findAuditKey(db: Database, sealing: Sealing): Promise<AuditKey | null> {
  const row = await reaching(() => modelsOf(db).installation.findFirst());
  const stored = row?.auditKeyCiphertext ?? null;
  return stored === null ? null : { bytes: Buffer.from(sealing.open(stored), "base64") };
}

async function makeKey(tx: Tx, sealing: Sealing): Promise<void> {
  const key = { bytes: randomBytes(32) };
  const ciphertext = sealing.seal(key.bytes.toString("base64"));
  const { seq, hash } = await placeUnsigned(tx);
  await tx.$executeRaw`
    UPDATE installation SET audit_key_ciphertext = ${ciphertext}, audit_before_seq = ${seq},
      audit_before_hash = ${hash}, audit_before_mac = ${macOfPlace(key, { seq, hash })}`;
}
