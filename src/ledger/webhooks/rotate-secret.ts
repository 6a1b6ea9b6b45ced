import type {
  NewSecret,
  Rotated,
  Rotation,
  SealedPair,
  WebhookName,
} from "../../domain/webhook/registration.ts";
import type { Tx } from "../postgres/transaction.ts";
import { lockCurrentWebhook } from "./change-webhook.ts";
import { holdBusiness } from "./lock-business.ts";

/**
 * Gives a webhook a new secret, and a new key pair if it has one. For `overlapMs` the old and the
 * new both sign; 0 ends the old one at once. A rotation within an overlap ends that overlap: the
 * newer secret becomes the old one.
 * @throws Fault `webhook_not_found`
 */
export async function rotateSecret(
  tx: Tx,
  name: WebhookName,
  rotation: NewSecret,
): Promise<Rotated> {
  const { secretCiphertext, ed25519, overlapMs } = rotation;
  const id = await lockCurrentWebhook(tx, name, holdBusiness);
  await endOverlap(tx, id);
  if (overlapMs === 0) {
    await tx.webhook.update({ where: { id }, data: { secretCiphertext } });
    return { overlapEndsAt: null, publicKey: await replacePair(tx, id, ed25519) };
  }
  const rows = await tx.$queryRaw<Rotated[]>`
      UPDATE webhook SET next_secret_ciphertext = ${secretCiphertext},
        next_ed25519_ciphertext = CASE WHEN ed25519_ciphertext IS NOT NULL THEN ${ed25519.ciphertext} END,
        next_ed25519_public_key = CASE WHEN ed25519_ciphertext IS NOT NULL THEN ${ed25519.publicKey} END,
        overlap_ends_at = now() + ${overlapMs} * interval '1 ms'
      WHERE id = ${id}::uuid
      RETURNING overlap_ends_at AS "overlapEndsAt", next_ed25519_public_key AS "publicKey"`;
  return rows[0] ?? { overlapEndsAt: null, publicKey: null };
}

/**
 * Ends an overlap now: from here on only the new secret signs. Safe to repeat.
 * @throws Fault `webhook_not_found`
 */
export async function finishRotation(tx: Tx, name: WebhookName): Promise<Rotation> {
  await endOverlap(tx, await lockCurrentWebhook(tx, name, holdBusiness));
  return { overlapEndsAt: null };
}

/** Answers the new public key; null: the webhook has no pair, and gets none. */
async function replacePair(tx: Tx, id: string, pair: SealedPair): Promise<string | null> {
  const { ciphertext, publicKey } = pair;
  const { count } = await tx.webhook.updateMany({
    where: { id, ed25519Ciphertext: { not: null } },
    data: { ed25519Ciphertext: ciphertext, ed25519PublicKey: publicKey },
  });
  return count === 0 ? null : publicKey;
}

/**
 * Ends an overlap. A release before pairs had an overlap ends one without the pair. So a next pair
 * may be all that is left.
 */
async function endOverlap(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook SET
      secret_ciphertext = coalesce(next_secret_ciphertext, secret_ciphertext),
      ed25519_ciphertext = coalesce(next_ed25519_ciphertext, ed25519_ciphertext),
      ed25519_public_key = coalesce(next_ed25519_public_key, ed25519_public_key),
      next_secret_ciphertext = NULL, next_ed25519_ciphertext = NULL, next_ed25519_public_key = NULL,
      overlap_ends_at = NULL
    WHERE id = ${id}::uuid
      AND (next_secret_ciphertext IS NOT NULL OR next_ed25519_ciphertext IS NOT NULL)`;
}
