import { Fault } from "../../domain/fault.ts";
import { type Database, inTransaction } from "../postgres/database.ts";

/**
 * Holds the encryption key against the one that this database was first used with. The first time there is nothing to hold
 * it against but the secrets that are stored: one of them must be readable. Safe to repeat, and for any number of processes.
 * @param key.check what is kept of the key
 * @param key.keeps whether a database without a key is given this one
 * @param key.opens throws where the key cannot read what is stored for that business
 * @throws Fault `wrong_encryption_key`
 */
export async function checkKey(
  db: Database,
  key: { check: string; keeps: boolean; opens: (stored: string, businessId: string) => void },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (key.keeps) await tx.$executeRaw`SELECT 1 FROM installation FOR UPDATE`;
    const known = (await tx.installation.findFirst())?.keyCheck ?? null;
    if (known === key.check) return;
    if (known !== null) throw anotherKey();
    const stored = await tx.webhook.findFirst({ where: { deletedAt: null } });
    if (stored !== null) key.opens(stored.secretCiphertext, stored.businessId);
    if (key.keeps) await tx.$executeRaw`UPDATE installation SET key_check = ${key.check}`;
  });
}

function anotherKey(): Fault {
  return new Fault(
    "wrong_encryption_key",
    "CHAINBELL_ENCRYPTION_KEY is not the key that this database was used with: no webhook's secret could be read with it. Set the one it was.",
  );
}
