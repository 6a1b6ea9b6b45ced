import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { readRows } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { endQueuedClaim } from "./end-queued-claim.ts";
import { inLinesOf, type LineOwner } from "./lines.ts";
import { lockBusiness, lockFirst } from "./lock-business.ts";
import { inTurns } from "./take-turns.ts";

/**
 * One transaction takes this many rows, in some milliseconds. A business may have a hundred
 * thousand waiting, and writing all at once would delay everybody's notifications.
 */
const takenAtOnce = 200;

/**
 * Gives the oldest waiting deliveries of a replaced webhook to its successor, on a fresh schedule.
 * A given-up delivery that holds its line waits again. Each keeps its place in its line. If more
 * are left, the replaced webhook's row notes that for `moveWaiting`. The holder of an old claim can
 * no longer change the delivery's state. The caller has locked the business and its current
 * webhook.
 * @returns how many were moved
 */
export function moveSome(tx: Tx, fromId: string, toId: string): Promise<number> {
  const moves = Prisma.sql`webhook_id = ${toId}::uuid, status = 'waiting', attempts = 0, due_at = now()`;
  return takeSome(tx, fromId, moves);
}

/**
 * Cancels the oldest waiting deliveries of a deleted webhook. A given-up delivery leaves its line.
 * If more are left, the webhook's row notes that for `moveWaiting`. The caller has locked the
 * business.
 * @returns how many were cancelled
 */
export function cancelSome(tx: Tx, fromId: string): Promise<number> {
  const cancels = Prisma.sql`status = CASE WHEN d.status = 'waiting' THEN 'cancelled' ELSE d.status END,
    wallet_id = NULL, is_behind = false`;
  return takeSome(tx, fromId, cancels);
}

/** Counts the waiting deliveries of a webhook. */
export async function countWaiting(tx: Tx, webhookId: string): Promise<number> {
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id: webhookId } });
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(DISTINCT id)::int AS count FROM (${undeliveredOf(webhook, null)}) x WHERE status = 'waiting'`;
  return row?.count ?? 0;
}

/**
 * The waiting deliveries of a webhook, and given-up ones that hold a line. At most `limit` of each
 * kind; null: all. A delivery may be of two kinds.
 */
const undeliveredOf = (from: LineOwner, limit: number | null) => Prisma.sql`
  (SELECT delivery_id AS id, 'waiting' AS status FROM due_delivery WHERE webhook_id = ${from.id}::uuid
   ORDER BY webhook_id, is_retry, place LIMIT ${limit}::bigint)
  UNION ALL
  (SELECT id, status FROM delivery WHERE claim_token IS NOT NULL AND webhook_id = ${from.id}::uuid AND status = 'waiting'
   LIMIT ${limit}::bigint)
  UNION ALL
  (SELECT id, status FROM ${inLinesOf(from)} d WHERE webhook_id = ${from.id}::uuid LIMIT ${limit}::bigint)`;

async function takeSome(tx: Tx, fromId: string, change: Prisma.Sql): Promise<number> {
  const from = await tx.webhook.findUniqueOrThrow({ where: { id: fromId } });
  // Locked in the same order as the recording of attempts does.
  const taken = await tx.$executeRaw`
    WITH oldest AS MATERIALIZED (${undeliveredOf(from, takenAtOnce)}), waiting AS (
      SELECT id FROM delivery WHERE id IN (SELECT id FROM oldest) AND (status = 'waiting' OR wallet_id IS NOT NULL)
      ORDER BY id LIMIT ${takenAtOnce} FOR NO KEY UPDATE
    )
    UPDATE delivery d SET ${change}, ${endQueuedClaim} FROM waiting WHERE d.id = waiting.id`;
  await tx.webhook.update({
    where: { id: fromId },
    data: { leavesWaiting: taken === takenAtOnce },
  });
  return taken;
}

/**
 * Takes some deliveries from a webhook of a random business that was replaced or deleted. They go
 * to its current first webhook, or are cancelled. Safe to repeat, and for several processes.
 * @returns how many were taken; null: nothing was left
 */
export async function moveWaiting(db: Database): Promise<number | null> {
  // Nearly always nothing is left. Then this is one query without a transaction.
  const [left] = await readRows<{ id: string; businessId: string }>(
    db,
    inTurns(Prisma.sql`
      SELECT w.id, w.business_id AS "businessId", w.id AS place FROM webhook w
      WHERE w.leaves_waiting AND (w.cancels_waiting OR EXISTS (
        SELECT FROM webhook c WHERE c.business_id = w.business_id AND c.deleted_at IS NULL AND NOT c.is_additional))`),
  );
  if (left === undefined) return null;
  return inTransaction(db, async (tx) => {
    await lockBusiness(tx, left.businessId);
    const from = await tx.webhook.findUnique({ where: { id: left.id } });
    // Another process took the rest between the two statements.
    if (from?.leavesWaiting !== true) return 0;
    if (from.cancelsWaiting) return cancelSome(tx, from.id);
    const current = await lockFirst(tx, left.businessId);
    if (current === null) return 0;
    const moved = await moveSome(tx, from.id, current.id);
    await wakeRelay(tx);
    return moved;
  });
}
