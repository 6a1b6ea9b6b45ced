import type { Database } from "../postgres/database.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { endQueuedClaim } from "./end-queued-claim.ts";
import { inLinesOf } from "./lines.ts";
import { lockBusiness, lockFirst } from "./lock-business.ts";

/**
 * Rows that one transaction moves, in some milliseconds. A hundred thousand may wait for one
 * business, and everybody's notifications would be late while that many rows are written at once.
 */
const movedAtOnce = 200;

/**
 * Gives waiting deliveries of a replaced webhook to the webhook in its place, on a fresh schedule.
 * A given-up one that holds its wallet waits again there. Each keeps its place in its line.
 * The oldest ones move now. If more are left, that is noted at the webhook, for `moveWaiting`. The
 * holder of a claim can no longer move the delivery's state. The caller holds the business and its
 * current webhook.
 * @returns how many were moved
 */
export async function moveSome(tx: Tx, fromId: string, toId: string): Promise<number> {
  const from = await tx.webhook.findUniqueOrThrow({ where: { id: fromId } });
  // Locked in the order in which records lock them.
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
 * Moves some of what replaced webhooks left to the webhooks in their places, whichever those are by
 * now. Safe to repeat, and by several processes.
 * @returns how many were moved; null: nothing was left
 */
export async function moveWaiting(db: Database): Promise<number | null> {
  // One query and no transaction where nothing is left, which is nearly always.
  const [left] = await statementsOf(db).$queryRaw<{ id: string; businessId: string }[]>`
    SELECT w.id, w.business_id AS "businessId" FROM webhook w
    WHERE w.leaves_waiting AND EXISTS (
      SELECT FROM webhook c WHERE c.business_id = w.business_id AND c.deleted_at IS NULL AND NOT c.is_additional)
    ORDER BY w.id LIMIT 1`;
  if (left === undefined) return null;
  return inTransaction(db, async (tx) => {
    await lockBusiness(tx, left.businessId);
    const current = await lockFirst(tx, left.businessId);
    // It was deleted between the two statements, and what was left cancelled with it.
    if (current === null) return 0;
    const moved = await moveSome(tx, left.id, current.id);
    await wakeRelay(tx);
    return moved;
  });
}
