import { idAt } from "../../domain/id.ts";
import { Prisma } from "../generated/client.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import type { Tx } from "../postgres/transaction.ts";
import { behindIn } from "./lines.ts";

/**
 * One transaction makes this many retries due, in some tens of milliseconds. A block that pays the
 * business may wait for it.
 */
const retriedAtOnce = 1_000;

/**
 * Makes the waiting retries of a webhook due. They keep their count of attempts. If there are more
 * than one batch, a recovery of the webhook does the others. While one is running already, they
 * keep their times. The caller has locked the webhook.
 */
export async function retryNow(tx: Tx, id: string): Promise<void> {
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id } });
  await lookByIndex(tx);
  const [row] = await tx.$queryRaw<{ found: number }[]>`
    WITH found AS MATERIALIZED (
      (SELECT delivery_id AS id FROM due_delivery WHERE webhook_id = ${id}::uuid AND is_retry AND place > ${nowMs}
       ORDER BY webhook_id, is_retry, place LIMIT ${retriedAtOnce})
      UNION ALL
      (SELECT id FROM ${behindIn(webhook)} d WHERE webhook_id = ${id}::uuid AND due_at > now() LIMIT ${retriedAtOnce})
    ), waiting AS (
      SELECT d.id FROM found JOIN delivery d ON d.id = found.id
      WHERE d.status = 'waiting' AND d.claim_token IS NULL ORDER BY d.id FOR NO KEY UPDATE OF d
    ), retried AS (
      UPDATE delivery d SET due_at = now() FROM waiting WHERE d.id = waiting.id
    )
    SELECT count(*)::int AS found FROM found`;
  if ((row?.found ?? 0) >= retriedAtOnce) await recoverOthers(tx, webhook);
}

/** The time now in the unit of a retry's `place`. */
const nowMs = Prisma.sql`floor(extract(epoch FROM now()) * 1000)::bigint`;

/**
 * Begins a recovery of the other retries, if there are any. It reads notifications from the oldest
 * of them on. A webhook with an order sends nothing before that. A day more is for clocks that
 * differ, since the database and another process gave the times.
 */
async function recoverOthers(
  tx: Tx,
  { id, businessId }: { id: string; businessId: string },
): Promise<void> {
  const running = await tx.recovery.count({ where: { webhookId: id, endedAt: null } });
  if (running > 0) return;
  await tx.$executeRaw`
    INSERT INTO recovery (id, webhook_id, since, position, include, through)
    SELECT ${idAt(Date.now())}::uuid, ${id}::uuid, since, since - interval '1 ms', '{waiting}',
      (SELECT max(created_at) FROM notification WHERE business_id = ${businessId}::uuid)
    FROM (
      SELECT min(created_at) - interval '1 day' AS since FROM due_delivery
      WHERE webhook_id = ${id}::uuid AND is_retry AND place > ${nowMs}
    ) oldest WHERE since IS NOT NULL`;
}
