import type { Rotation, WebhookName } from "../../domain/webhook/registration.ts";
import { type Database, inTransaction, type Tx } from "../postgres/database.ts";
import { lockCurrentWebhook } from "./change-webhook.ts";

/**
 * Gives a webhook a new secret. For `overlapMs` both sign; 0 ends the old one at once. A rotation within an overlap
 * ends that overlap: the secret that was new becomes the old one.
 * @throws Fault `webhook_not_found`
 */
export async function rotateSecret(
  db: Database,
  name: WebhookName,
  rotation: { secretCiphertext: string; overlapMs: number },
): Promise<Rotation> {
  const { secretCiphertext, overlapMs } = rotation;
  return inTransaction(db, async (tx) => {
    const id = await lockCurrentWebhook(tx, name);
    await endOverlap(tx, id);
    if (overlapMs === 0) {
      await tx.webhook.update({ where: { id }, data: { secretCiphertext } });
      return { overlapEndsAt: null };
    }
    const rows = await tx.$queryRaw<{ overlapEndsAt: Date }[]>`
      UPDATE webhook SET next_secret_ciphertext = ${secretCiphertext},
        overlap_ends_at = now() + ${overlapMs} * interval '1 ms'
      WHERE id = ${id}::uuid RETURNING overlap_ends_at AS "overlapEndsAt"`;
    return { overlapEndsAt: rows[0]?.overlapEndsAt ?? null };
  });
}

/** Ends an overlap now: only the new secret signs from here on. Safe to repeat. @throws Fault `webhook_not_found` */
export async function finishRotation(db: Database, name: WebhookName): Promise<Rotation> {
  return inTransaction(db, async (tx) => {
    await endOverlap(tx, await lockCurrentWebhook(tx, name));
    return { overlapEndsAt: null };
  });
}

async function endOverlap(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook SET secret_ciphertext = next_secret_ciphertext, next_secret_ciphertext = NULL, overlap_ends_at = NULL
    WHERE id = ${id}::uuid AND next_secret_ciphertext IS NOT NULL`;
}
