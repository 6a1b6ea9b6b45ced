import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { readRows } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { endQueuedClaim } from "./end-queued-claim.ts";
import { inLinesOf } from "./lines.ts";
import { lockBusiness, lockFirst } from "./lock-business.ts";
import { inTurns } from "./take-turns.ts";

/**
 * One transaction moves this many rows, in some milliseconds. A business may have a hundred
 * thousand waiting, and writing all at once would delay everybody's notifications.
 */
const movedAtOnce = 200;

/**
 * Gives the oldest waiting deliveries of a replaced webhook to its successor, on a fresh schedule.
 * A given-up delivery that holds its line waits again. Each keeps its place in its line. If more
 * are left, the replaced webhook's row notes that for `moveWaiting`. The holder of an old claim can
 * no longer change the delivery's state. The caller has locked the business and its current
 * webhook.
 * @returns how many were moved
 */
export async function moveSome(tx: Tx, fromId: string, toId: string): Promise<number> {
  const from = await tx.webhook.findUniqueOrThrow({ where: { id: fromId } });
  // Locked in the same order as the recording of attempts does.
  const moved = await tx.$executeRaw`
    WITH oldest AS MATERIALIZED (
      (SELECT delivery_id AS id FROM due_delivery WHERE webhook_id = ${fromId}::uuid
       ORDER BY webhook_id, is_retry, place LIMIT ${movedAtOnce})
      UNION ALL
      (SELECT id FROM delivery WHERE claim_token IS NOT NULL AND webhook_id = ${fromId}::uuid AND status = 'waiting'
       LIMIT ${movedAtOnce})
      UNION ALL
      (SELECT id FROM ${inLinesOf(from)} d WHERE webhook_id = ${fromId}::uuid LIMIT ${movedAtOnce})
    ), waiting AS (
      SELECT id FROM delivery WHERE id IN (SELECT id FROM oldest) AND (status = 'waiting' OR wallet_id IS NOT NULL)
      ORDER BY id LIMIT ${movedAtOnce} FOR NO KEY UPDATE
    )
    UPDATE delivery d
    SET webhook_id = ${toId}::uuid, status = 'waiting', attempts = 0, due_at = now(), ${endQueuedClaim}
    FROM waiting WHERE d.id = waiting.id`;
  await tx.webhook.update({
    where: { id: fromId },
    data: { leavesWaiting: moved === movedAtOnce },
  });
  return moved;
}

/**
 * Moves some deliveries that replaced webhooks of a random business still have to its current first
 * webhook. Safe to repeat, and for several processes.
 * @returns how many were moved; null: nothing was left
 */
export async function moveWaiting(db: Database): Promise<number | null> {
  // Nearly always nothing is left. Then this is one query without a transaction.
  const [left] = await readRows<{ id: string; businessId: string }>(
    db,
    inTurns(Prisma.sql`
      SELECT w.id, w.business_id AS "businessId", w.id AS place FROM webhook w
      WHERE w.leaves_waiting AND EXISTS (
        SELECT FROM webhook c WHERE c.business_id = w.business_id AND c.deleted_at IS NULL AND NOT c.is_additional)`),
  );
  if (left === undefined) return null;
  return inTransaction(db, async (tx) => {
    await lockBusiness(tx, left.businessId);
    const current = await lockFirst(tx, left.businessId);
    // The first webhook was deleted between the two statements, which cancelled the rest.
    if (current === null) return 0;
    const moved = await moveSome(tx, left.id, current.id);
    await wakeRelay(tx);
    return moved;
  });
}
