import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/**
 * Forgets webhooks that were replaced or deleted more than `olderThanMs` ago and that nothing waits
 * for, `limit` at most. Safe to repeat, and by several processes.
 * @returns how many were forgotten
 */
export async function pruneWebhooks(
  db: Database,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  // As a subquery of IN, the limited rows could be read several times, and more of them forgotten.
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
