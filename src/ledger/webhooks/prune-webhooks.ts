import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/**
 * Deletes at most `limit` webhooks that were replaced or deleted more than `olderThanMs` ago, and
 * for which nothing waits. Safe to repeat, and for several processes.
 * @returns how many were deleted
 */
export async function pruneWebhooks(
  db: Database,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  // MATERIALIZED, because PostgreSQL may run a limited subquery of IN several times, and delete
  // more rows.
  return statementsOf(db).$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT w.id FROM webhook w
      WHERE w.deleted_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM ${waitingDeliveries} d WHERE d.webhook_id = w.id)
      LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED
    ), turns AS (DELETE FROM webhook_turn t USING old WHERE t.webhook_id = old.id),
    versions AS (DELETE FROM webhook_version v USING old WHERE v.webhook_id = old.id),
    streams AS (DELETE FROM webhook_stream s USING old WHERE s.owner_id = old.id)
    DELETE FROM webhook USING old WHERE webhook.id = old.id`;
}
