import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { mostNamed } from "./find-among.ts";

/**
 * Finds unclaimed waiting deliveries that no relay would find, and rows of due_delivery without
 * such a delivery. Any change of a delivery writes its row anew. Also finds deliveries that are not
 * in the order that their webhook asks for.
 */
export async function findWronglyDue(db: Database): Promise<LedgerFinding[]> {
  const found = [...(await findNotAsDue(db)), ...(await findOutOfLine(db))];
  const ids = new Set(found.map(({ deliveryId }) => deliveryId));
  return [...ids].slice(0, mostNamed).map((deliveryId) => ({ kind: "due", deliveryId }));
}

type Found = { deliveryId: string };

function findNotAsDue(db: Database): Promise<Found[]> {
  return statementsOf(db).$queryRaw<{ deliveryId: string }[]>`
    SELECT coalesce(d.id, q.delivery_id) AS "deliveryId"
    FROM (SELECT * FROM delivery WHERE status = 'waiting' AND claim_token IS NULL AND NOT is_behind) d
      FULL JOIN due_delivery q ON q.delivery_id = d.id
    WHERE (d.webhook_id, d.business_id, d.attempts > 0, d.due_at, d.created_at)
        IS DISTINCT FROM (q.webhook_id, q.business_id, q.is_retry, q.due_at, q.created_at)
      OR q.place IS DISTINCT FROM
        CASE WHEN d.attempts > 0 THEN (extract(epoch FROM d.due_at) * 1000)::bigint ELSE d.seq END
    ORDER BY 1 LIMIT ${mostNamed}`;
}

/**
 * Finds deliveries that break these rules of lines. In a line, all unclaimed deliveries but the
 * oldest are behind. The oldest is behind too while another one is claimed. A claimed delivery is
 * not behind.
 *
 * At a webhook with an order every waiting delivery stands in a line, at the place of its
 * notification. Exceptions are deliveries that somebody asked for and those about no wallet. At
 * other webhooks no delivery stands in a line.
 */
function findOutOfLine(db: Database): Promise<Found[]> {
  return statementsOf(db).$queryRaw<Found[]>`
    SELECT d.id AS "deliveryId" FROM (
      SELECT id, is_behind, claim_token, row_number() OVER line AS place,
        count(claim_token) OVER all_of_line AS claimed
      FROM delivery WHERE wallet_id IS NOT NULL
      WINDOW all_of_line AS (PARTITION BY CASE WHEN is_additional THEN webhook_id ELSE business_id END, wallet_id),
        line AS (all_of_line ORDER BY seq, id)
    ) d WHERE claim_token IS NULL AND d.is_behind <> (place > 1 OR claimed > 0)
    UNION ALL
    SELECT d.id FROM delivery d JOIN webhook w ON w.id = d.webhook_id JOIN notification n ON n.id = d.notification_id
    WHERE d.status = 'waiting' AND w.deleted_at IS NULL AND CASE WHEN d.wallet_id IS NULL
      THEN w.is_ordered AND d.max_attempts IS NULL AND num_nonnulls(n.transaction_id, n.wallet_id) > 0
      ELSE NOT w.is_ordered OR d.seq <> n.seq END
    ORDER BY 1 LIMIT ${mostNamed}`;
}
