import { answerBoundTo } from "../../domain/business/idempotency.ts";
import { auditKeyBoundTo } from "../../domain/evidence/audit-chain.ts";
import { signingKeyBoundTo } from "../../domain/evidence/signing-key.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";

/**
 * Encrypts a stored text anew with the first key; null: it is encrypted with that key already.
 * @throws Fault `wrong_encryption_key`
 */
export type Reseal = (stored: string, boundTo: string) => string | null;

/** The outcome of one step. `last`: the row after which to continue; null: no rows are left. */
export type Reencrypted = {
  last: string | null;
  read: number;
  written: number;
  /** Rows that no key can read. They stay unchanged. */
  unreadable: number;
};

/** Counts the rows that hold an encrypted text. */
export async function countEncrypted(db: Database): Promise<number> {
  return inTransaction(
    db,
    async (tx) =>
      (await tx.webhook.count()) +
      (await tx.idempotencyKey.count({ where: kept })) +
      (await tx.signingKey.count()) +
      auditKeys,
  );
}

/** An installation has one key for its audit trail. */
const auditKeys = 1;

const kept = { answerCiphertext: { not: null } };

/**
 * Encrypts the secrets of at most `limit` webhooks anew, in one transaction. Locks only these, in
 * the order in which the recording of attempts does. Safe to repeat.
 */
export async function reencryptWebhooks(
  db: Database,
  { after, limit, reseal }: { after: string | null; limit: number; reseal: Reseal },
): Promise<Reencrypted> {
  return inTransaction(db, async (tx) => {
    const locked = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM webhook WHERE ${after}::uuid IS NULL OR id > ${after}::uuid
      ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`;
    const ids = locked.map(({ id }) => id);
    const rows = await tx.webhook.findMany({ where: { id: { in: ids } }, select: sealed });
    return counted(rows, ids.at(-1) ?? null, async (row) => {
      const data = resealed(row, (stored) => reseal(stored, row.businessId));
      if (data !== null) await tx.webhook.update({ where: { id: row.id }, data });
      return data !== null;
    });
  });
}

const sealed = {
  id: true,
  businessId: true,
  secretCiphertext: true,
  nextSecretCiphertext: true,
  headersCiphertext: true,
  certificateCiphertext: true,
  ed25519Ciphertext: true,
  nextEd25519Ciphertext: true,
} as const;

const sealedColumns = [
  "secretCiphertext",
  "nextSecretCiphertext",
  "headersCiphertext",
  "certificateCiphertext",
  "ed25519Ciphertext",
  "nextEd25519Ciphertext",
] as const;

type SealedColumn = (typeof sealedColumns)[number];

/** The columns that must change; null: none. */
function resealed(
  row: Record<SealedColumn, string | null>,
  reseal: (stored: string) => string | null,
): Partial<Record<SealedColumn, string>> | null {
  const changed = sealedColumns.flatMap((column) => {
    const stored = row[column];
    const anew = stored === null ? null : reseal(stored);
    return anew === null ? [] : [[column, anew]];
  });
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

/**
 * As reencryptWebhooks, for the answers that are stored for a day. `after` and `last` are opaque.
 */
export async function reencryptAnswers(
  db: Database,
  { after, limit, reseal }: { after: string | null; limit: number; reseal: Reseal },
): Promise<Reencrypted> {
  return inTransaction(db, async (tx) => {
    const [owner, key] = after === null ? ["", ""] : placeIn(after);
    const rows = await readAnswers(tx, { owner, key, limit });
    const last = rows.at(-1);
    return counted(
      rows,
      last === undefined ? null : JSON.stringify([last.owner, last.key]),
      async (row) => {
        const answerCiphertext = reseal(row.sealed, answerBoundTo(row.owner));
        if (answerCiphertext === null) return false;
        const where = { owner_key: { owner: row.owner, key: row.key } };
        await tx.idempotencyKey.update({ where, data: { answerCiphertext } });
        return true;
      },
    );
  });
}

/** As reencryptWebhooks, for the key of the audit trail: one row, in one step. */
export async function reencryptAuditKey(
  db: Database,
  { reseal }: { reseal: Reseal },
): Promise<Reencrypted> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.$queryRaw<{ sealed: string }[]>`
      SELECT audit_key_ciphertext AS sealed FROM installation
      WHERE audit_key_ciphertext IS NOT NULL FOR UPDATE`;
    return counted(rows, null, async ({ sealed: stored }) => {
      const anew = reseal(stored, auditKeyBoundTo);
      if (anew === null) return false;
      await tx.$executeRaw`UPDATE installation SET audit_key_ciphertext = ${anew}`;
      return true;
    });
  });
}

/** As reencryptWebhooks, for the keys that sign statements: they are few, so one step does all. */
export async function reencryptSigningKeys(
  db: Database,
  { reseal }: { reseal: Reseal },
): Promise<Reencrypted> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.$queryRaw<{ id: string; sealed: string }[]>`
      SELECT id, private_ciphertext AS sealed FROM signing_key ORDER BY id FOR UPDATE`;
    return counted(rows, null, async ({ id, sealed: stored }) => {
      const privateCiphertext = reseal(stored, signingKeyBoundTo);
      if (privateCiphertext === null) return false;
      await tx.signingKey.update({ where: { id }, data: { privateCiphertext } });
      return true;
    });
  });
}

function placeIn(after: string): [string, string] {
  const [owner, key] = JSON.parse(after);
  return [String(owner), String(key)];
}

function readAnswers(tx: Tx, from: { owner: string; key: string; limit: number }) {
  return tx.$queryRaw<{ owner: string; key: string; sealed: string }[]>`
    SELECT owner, key, answer_ciphertext AS sealed FROM idempotency_key
    WHERE (owner, key) > (${from.owner}, ${from.key}) AND answer_ciphertext IS NOT NULL
    ORDER BY owner, key LIMIT ${from.limit} FOR UPDATE`;
}

async function counted<Row>(
  rows: readonly Row[],
  last: string | null,
  write: (row: Row) => Promise<boolean>,
): Promise<Reencrypted> {
  const counts = { written: 0, unreadable: 0 };
  for (const row of rows) {
    try {
      if (await write(row)) counts.written += 1;
    } catch (error) {
      if (faultIn(error)?.code !== "wrong_encryption_key") throw error;
      counts.unreadable += 1;
    }
  }
  return { last, read: rows.length, ...counts };
}
