import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/**
 * Deletes at most `limit` notifications older than `olderThanMs`, with their deliveries and
 * attempts. Some stay, whatever their age. These are notifications that wait, are held or hold
 * their wallet's line. Those after one of these in its stream count too. So the feed begins with
 * the oldest that is kept, and has no gap. The newest of each stream stays, too: the next number
 * follows it. For each stream it stores the last place that was deleted, so that the feed can
 * refuse older places. Safe to repeat, and for several processes.
 * @returns how many were deleted
 */
export async function pruneNotifications(
  db: Database,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const isOld = (table: string) =>
      Prisma.sql`${Prisma.raw(table)}.created_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'`;
    const rows = await tx.$queryRaw<{ id: string }[]>`
      WITH held AS MATERIALIZED (
        SELECT id FROM ${waitingDeliveries} x WHERE ${isOld("x")}
        UNION ALL SELECT id FROM delivery d WHERE d.wallet_id IS NOT NULL AND NOT d.is_behind AND ${isOld("d")}
      ), kept AS MATERIALIZED (
        SELECT o.business_id, o.chain_name, min(o.sequence) AS sequence
        FROM held JOIN delivery d ON d.id = held.id JOIN notification o ON o.id = d.notification_id
        WHERE o.sequence IS NOT NULL GROUP BY o.business_id, o.chain_name
      )
      SELECT n.id FROM notification n
      WHERE ${isOld("n")}
        AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.notification_id = n.id AND (d.status = 'waiting' OR d.wallet_id IS NOT NULL))
        AND (n.sequence IS NULL OR EXISTS (SELECT 1 FROM notification m
          WHERE m.business_id = n.business_id AND m.chain_name = n.chain_name AND m.sequence > n.sequence))
        AND NOT EXISTS (SELECT 1 FROM kept
          WHERE kept.business_id = n.business_id AND kept.chain_name = n.chain_name AND kept.sequence < n.sequence)
      LIMIT ${limit} FOR UPDATE OF n SKIP LOCKED`;
    const ids = await withoutWaiting(
      tx,
      rows.map(({ id }) => id),
    );
    await tx.$executeRaw`
      DELETE FROM attempt a USING delivery d WHERE a.delivery_id = d.id AND d.notification_id = ANY(${ids}::uuid[])`;
    await tx.$executeRaw`DELETE FROM delivery WHERE notification_id = ANY(${ids}::uuid[])`;
    await tx.$executeRaw`
      WITH gone AS (
        DELETE FROM notification WHERE id = ANY(${ids}::uuid[]) RETURNING business_id, chain_name, sequence, digest
      )
      INSERT INTO pruned_stream AS p (business_id, chain_name, sequence, digest)
      SELECT DISTINCT ON (business_id, chain_name) business_id, chain_name, sequence, digest FROM gone
      WHERE sequence IS NOT NULL ORDER BY business_id, chain_name, sequence DESC
      ON CONFLICT (business_id, chain_name) DO UPDATE SET sequence = EXCLUDED.sequence, digest = EXCLUDED.digest
      WHERE EXCLUDED.sequence > p.sequence`;
    return ids.length;
  });
}

/**
 * Those of the notifications of which nothing waits once their deliveries are locked. A recovery
 * may have queued some of them again meanwhile. It holds the deliveries, and not their
 * notifications. Deliveries are locked in the order in which everybody locks them.
 */
async function withoutWaiting(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const locked = await tx.$queryRaw<{ notificationId: string; isKept: boolean }[]>`
    SELECT d.notification_id AS "notificationId", d.status = 'waiting' OR d.wallet_id IS NOT NULL AS "isKept"
    FROM delivery d WHERE d.notification_id = ANY(${[...ids]}::uuid[]) ORDER BY d.id FOR UPDATE`;
  const kept = new Set(
    locked.filter(({ isKept }) => isKept).map(({ notificationId }) => notificationId),
  );
  if (kept.size > 0) await lookAgain(tx, [...kept]);
  return ids.filter((id) => !kept.has(id));
}

/**
 * Writes deliveries in lines unchanged, which has their lines read again. Others may have read
 * these lines meanwhile, and passed over the locked deliveries (delivery_front). Otherwise a line
 * might be left without a front.
 */
async function lookAgain(tx: Tx, notificationIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE delivery SET wallet_id = wallet_id
    WHERE notification_id = ANY(${[...notificationIds]}::uuid[]) AND wallet_id IS NOT NULL`;
}
