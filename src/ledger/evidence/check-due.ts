import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Findings that are named, at most. */
const mostNamed = 100;

/**
 * Finds deliveries that wait unclaimed and that no relay would find, and rows of due_delivery that
 * no delivery stands behind. Any change of such a delivery writes its row anew.
 */
export async function findWronglyDue(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<{ deliveryId: string }[]>`
    SELECT coalesce(d.id, q.delivery_id) AS "deliveryId"
    FROM (SELECT * FROM delivery WHERE status = 'waiting' AND claim_token IS NULL) d
      FULL JOIN due_delivery q ON q.delivery_id = d.id
    WHERE (d.webhook_id, d.business_id, d.attempts > 0, d.due_at, d.created_at)
        IS DISTINCT FROM (q.webhook_id, q.business_id, q.is_retry, q.due_at, q.created_at)
      OR q.place IS DISTINCT FROM
        CASE WHEN d.attempts > 0 THEN (extract(epoch FROM d.due_at) * 1000)::bigint ELSE d.seq END
    ORDER BY 1 LIMIT ${mostNamed}`;
  return rows.map(({ deliveryId }) => ({ kind: "due", deliveryId }));
}
