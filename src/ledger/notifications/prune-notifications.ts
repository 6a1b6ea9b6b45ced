import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * Forgets notifications that are older than `olderThanMs`, `limit` at most, with their deliveries
 * and attempts. Nothing of them is to be delivered any more. A notification that waits or is held
 * stays, however old. Safe to repeat, and by several processes.
 * @returns how many were forgotten
 */
export async function pruneNotifications(
  db: Database,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT n.id FROM notification n
      WHERE n.created_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.notification_id = n.id AND d.status = 'waiting')
      LIMIT ${limit} FOR UPDATE OF n SKIP LOCKED`;
    const ids = rows.map(({ id }) => id);
    await tx.$executeRaw`
      DELETE FROM attempt a USING delivery d WHERE a.delivery_id = d.id AND d.notification_id = ANY(${ids}::uuid[])`;
    await tx.$executeRaw`DELETE FROM delivery WHERE notification_id = ANY(${ids}::uuid[])`;
    await tx.$executeRaw`DELETE FROM notification WHERE id = ANY(${ids}::uuid[])`;
    return ids.length;
  });
}
