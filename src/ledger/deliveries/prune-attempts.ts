import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Reads `limit` attempts after the given one, in the order of recording. Deletes those older than
 * `olderThanMs` whose delivery is over. Attempts of a delivery that waits or is being sent stay,
 * whatever their age. Safe to repeat, and for several processes.
 * @returns how many were deleted, and after which attempt to continue; null: the rest is not old
 */
export async function pruneAttempts(
  db: Database,
  { olderThanMs, limit, after }: { olderThanMs: number; limit: number; after: bigint },
): Promise<{ count: number; next: bigint | null }> {
  // Attempts are read in the order of their ids, which is the order of their age. So no index by
  // time is needed.
  const [pruned] = await statementsOf(db).$queryRaw<{ count: number; next: bigint | null }[]>`
    WITH batch AS (
      SELECT id, delivery_id, started_at FROM attempt WHERE id > ${after}::bigint ORDER BY id LIMIT ${limit}::int
    ), old AS (
      SELECT id, delivery_id FROM batch
      WHERE started_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'
    ), forgotten AS (
      DELETE FROM attempt a USING old JOIN delivery d ON d.id = old.delivery_id
      WHERE a.id = old.id AND d.status <> 'waiting' AND d.claim_token IS NULL
      RETURNING a.id
    )
    SELECT (SELECT count(*)::int FROM forgotten) AS count,
      CASE WHEN (SELECT count(*) FROM old) = ${limit}::int THEN (SELECT max(id) FROM batch) END AS next`;
  return pruned ?? { count: 0, next: null };
}
