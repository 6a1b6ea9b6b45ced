import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Looks at the `limit` attempts after the given one, in the order in which they were recorded, and
 * forgets those that are older than `olderThanMs` and of which the delivery is over. Those of a
 * delivery that waits or is being sent stay, however old. Safe to repeat, and by several processes.
 * @returns how many were forgotten, and after which attempt to go on; null: what follows is not old
 */
export async function pruneAttempts(
  db: Database,
  { olderThanMs, limit, after }: { olderThanMs: number; limit: number; after: bigint },
): Promise<{ count: number; next: bigint | null }> {
  // Attempts are read in the order of their ids, because there is no index by time. None is needed:
  // older attempts have lower ids.
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
