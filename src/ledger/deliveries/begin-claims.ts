import { type ClaimedDelivery, claimLeaseMs } from "../../domain/delivery/claim.ts";
import type { Statements } from "../postgres/statements.ts";
import { sealedOutbound } from "../webhooks/sealed-outbound.ts";

/**
 * Begins to send claims: each only while its token holds, nobody has begun, and `leaseLeftMs` of
 * the lease remain by the database's clock; only to a webhook that is still active. Succeeds once
 * for a token. Every send that is begun is counted until its attempt is recorded. Many in one
 * statement, because it costs about as much as one. `$queryRaw` is a database's, or that of the
 * transaction that claims them.
 * @returns the deliveries to send now; of a claim that has none, send nothing and give it back
 */
export async function beginClaims(
  { $queryRaw }: Pick<Statements, "$queryRaw">,
  claims: { tokens: string[]; leaseLeftMs: number },
): Promise<ClaimedDelivery[]> {
  return $queryRaw<ClaimedDelivery[]>`
      UPDATE delivery d SET begun_at = statement_timestamp(), unrecorded = d.unrecorded + 1
      FROM notification n, webhook w, business b
      WHERE d.claim_token = ANY(${claims.tokens}::uuid[]) AND d.begun_at IS NULL AND d.status = 'waiting'
        AND d.claim_expires_at >= statement_timestamp() + ${claims.leaseLeftMs} * interval '1 ms'
        AND n.id = d.notification_id
        AND w.id = d.webhook_id AND w.is_active AND w.deleted_at IS NULL
        AND b.id = w.business_id AND b.suspended_at IS NULL
      RETURNING d.claim_token AS token, d.id AS "deliveryId", d.notification_id AS "notificationId", d.previous_id AS "previousId",
        n.transaction_id AS "transactionId", d.due_at AS "dueAt",
        d.claim_expires_at - ${claimLeaseMs} * interval '1 ms' AS "claimedAt",
        d.business_id AS "businessId", d.webhook_id AS "webhookId",
        w.url, w.secret_ciphertext AS "secretCiphertext", n.body,
        CASE WHEN w.overlap_ends_at <= now() THEN w.next_secret_ciphertext ELSE w.secret_ciphertext END AS "signingCiphertext",
        CASE WHEN w.overlap_ends_at > now() THEN w.next_secret_ciphertext END AS "nextCiphertext", ${sealedOutbound},
        d.attempts + 1 AS attempt, d.max_attempts AS "maxAttempts",
        (SELECT coalesce(max(a.number), 0) + 1 FROM attempt a WHERE a.delivery_id = d.id) AS number`;
}
