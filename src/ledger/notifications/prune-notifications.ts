import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * Forgets notifications that are older than `olderThanMs`, `limit` at most, with their deliveries
 * and attempts. Nothing of them is to be delivered any more. A notification that waits or is held,
 * or that holds its wallet, stays, however old. So does the newest of each stream, after which the
 * next one is numbered. Of the others of a stream the last is kept in mind, for those who ask for
 * what came after an earlier one. Safe to repeat, and by several processes.
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
        AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.notification_id = n.id AND (d.status = 'waiting' OR d.wallet_id IS NOT NULL))
        AND (n.sequence IS NULL OR EXISTS (SELECT 1 FROM notification m
          WHERE m.business_id = n.business_id AND m.chain_name = n.chain_name AND m.sequence > n.sequence))
      LIMIT ${limit} FOR UPDATE OF n SKIP LOCKED`;
    const ids = rows.map(({ id }) => id);
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
