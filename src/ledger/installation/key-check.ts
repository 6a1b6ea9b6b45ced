import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";

/** Separates the checks of several keys in one column. */
const separator = ",";

/**
 * Checks the encryption keys. All keys that this database was written with must be among them. At
 * the first call no key is known yet, so one stored secret must be readable instead. Safe to
 * repeat, and for any number of processes.
 * @param key.checks the stored form of each key; new texts are encrypted with the first key
 * @param key.keeps true to store that the database is used with the first key from now on
 * @param key.opens throws if the keys cannot read a stored text of that business
 * @throws Fault `wrong_encryption_key`
 */
export async function checkKey(
  db: Database,
  key: {
    checks: readonly [string, ...string[]];
    keeps: boolean;
    opens: (stored: string, businessId: string) => void;
  },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [first] = key.checks;
    const known = key.keeps ? await lockChecks(tx) : await readChecks(tx);
    if (!known.every((check) => key.checks.includes(check))) throw anotherKey(known.length);
    if (known.length === 0) {
      const stored = await tx.webhook.findFirst({ where: { deletedAt: null } });
      if (stored !== null) key.opens(stored.secretCiphertext, stored.businessId);
    }
    if (key.keeps) await addCheck(tx, known, first);
  });
}

/**
 * Stores that texts are encrypted with this key from now on. Call it before they are encrypted
 * anew.
 * @returns the other keys in use, for `forgetKeys`
 */
export function useKey(db: Database, check: string): Promise<readonly string[]> {
  return inTransaction(db, async (tx) => {
    const known = await lockChecks(tx);
    await addCheck(tx, known, check);
    return known.filter((other) => other !== check);
  });
}

/**
 * Stores that nothing is encrypted with these keys any more. A key that a daemon began to use since
 * `useKey` stays in use.
 */
export async function forgetKeys(db: Database, gone: readonly string[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    const known = await lockChecks(tx);
    await keepChecks(
      tx,
      known.filter((check) => !gone.includes(check)),
    );
  });
}

/** The keys in use. No other transaction changes them until this one ends. */
async function lockChecks(tx: Tx): Promise<string[]> {
  await tx.$executeRaw`SELECT 1 FROM installation FOR UPDATE`;
  return readChecks(tx);
}

async function readChecks(tx: Tx): Promise<string[]> {
  return (await tx.installation.findFirst())?.keyCheck?.split(separator) ?? [];
}

async function addCheck(tx: Tx, known: readonly string[], check: string): Promise<void> {
  if (!known.includes(check)) await keepChecks(tx, [...known, check]);
}

async function keepChecks(tx: Tx, checks: readonly string[]): Promise<void> {
  await tx.$executeRaw`UPDATE installation SET key_check = ${checks.join(separator)}`;
}

function anotherKey(count: number): Fault {
  return new Fault(
    "wrong_encryption_key",
    count === 1
      ? "CHAINBELL_ENCRYPTION_KEY is not the key that this database was used with: no webhook's secret could be read with it. Set the one it was."
      : `CHAINBELL_ENCRYPTION_KEY lacks one of the ${count} keys that this database is used with. Set all of them, until \`key rotate-encryption\` has run.`,
  );
}
