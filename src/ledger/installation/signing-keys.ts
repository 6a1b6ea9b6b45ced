import type { SealedSigningKey, SigningKey } from "../../domain/evidence/signing-key.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";

/** All signing keys that the installation has or had, newest first. */
export async function listSigningKeys(db: Database): Promise<SigningKey[]> {
  const rows = await reaching(() =>
    modelsOf(db).signingKey.findMany({ orderBy: [{ madeAt: "desc" }, { id: "asc" }] }),
  );
  return rows.map(({ id, publicKey, madeAt, retiredAt }) => ({ id, publicKey, madeAt, retiredAt }));
}

/** Adds a signing key, and retires the one before it. */
export async function addSigningKey(tx: Tx, key: SealedSigningKey): Promise<SigningKey> {
  // One call after another, so that exactly one key is not retired.
  await tx.$queryRaw`SELECT id FROM installation FOR UPDATE`;
  const now = new Date();
  await tx.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt: now } });
  const { id, publicKey, ciphertext: privateCiphertext } = key;
  await tx.signingKey.create({ data: { id, publicKey, privateCiphertext, madeAt: now } });
  return { id, publicKey, madeAt: now, retiredAt: null };
}

/**
 * Reads the encrypted key that signs, and adds the first one if there is none. Safe to repeat, and
 * for any number of processes.
 */
export async function openSigningKey(
  db: Database,
  make: () => SealedSigningKey,
): Promise<{ ciphertext: string }> {
  return inTransaction(db, async (tx) => {
    const known = await findCurrent(tx);
    if (known !== null) return { ciphertext: known };
    await tx.$queryRaw`SELECT id FROM installation FOR UPDATE`;
    if ((await findCurrent(tx)) === null) await addSigningKey(tx, make());
    const made = await findCurrent(tx);
    if (made !== null) return { ciphertext: made };
    throw new Fault("invariant_broken", "A signing key that was made is not there.");
  });
}

async function findCurrent(tx: Tx): Promise<string | null> {
  const row = await tx.signingKey.findFirst({ where: { retiredAt: null } });
  return row?.privateCiphertext ?? null;
}
