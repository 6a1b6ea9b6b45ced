import { type ClaimedDelivery, claimLeaseMs } from "../../domain/delivery/claim.ts";
import { Prisma } from "../generated/client.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { Statements } from "../postgres/statements.ts";
import { sealedOutbound } from "../webhooks/sealed-outbound.ts";

/**
 * The newest row versions of the claims' webhooks. Claims read them in this way too (decision 92).
 */
const webhooksOf = (tokens: string[]) => Prisma.sql`
  SELECT w.* FROM (
    SELECT DISTINCT business_id, webhook_id FROM delivery WHERE claim_token = ANY(${tokens}::uuid[])
  ) d CROSS JOIN LATERAL (
    SELECT * FROM webhook WHERE business_id = d.business_id AND id = d.webhook_id AND deleted_at IS NULL
    ORDER BY business_id, id, mark DESC LIMIT 1
  ) w`;

/** The columns that a send needs: of a delivery `d`, its notification `n` and its webhook `w`. */
const sent = Prisma.sql`
  d.claim_token AS token, d.id AS "deliveryId", d.notification_id AS "notificationId", d.previous_id AS "previousId",
  n.transaction_id AS "transactionId", d.due_at AS "dueAt",
  d.claim_expires_at - ${claimLeaseMs} * interval '1 ms' AS "claimedAt",
  (extract(epoch FROM d.claim_expires_at - clock_timestamp()) * 1000)::float8 AS "leaseLeftMs",
  d.business_id AS "businessId", d.webhook_id AS "webhookId",
  w.url, w.version AS "webhookVersion", w.secret_ciphertext AS "secretCiphertext", n.body,
  CASE WHEN w.overlap_ends_at <= statement_timestamp() THEN w.next_secret_ciphertext
    ELSE w.secret_ciphertext END AS "signingCiphertext",
  CASE WHEN w.overlap_ends_at > statement_timestamp() THEN w.next_secret_ciphertext END AS "nextCiphertext",
  ${sealedOutbound}, d.attempts + 1 AS attempt, d.max_attempts AS "maxAttempts",
  (SELECT coalesce(max(a.number), 0) + 1 FROM attempt a WHERE a.delivery_id = d.id) AS number`;

/**
 * Begins the sends of claims. A claim begins if its token still holds and no call has begun it. At
 * least `leaseLeftMs` of its lease must remain by the database's clock. The webhook must be active
 * and its business not suspended. A token begins only once. Each begun send is counted until its
 * attempt is recorded. One statement does all claims, since it costs about as much as one.
 * @returns the deliveries to send now. If a claim has none here, send nothing and give the claim
 *   back
 */
export async function beginClaims(
  queryRaw: Statements["$queryRaw"],
  claims: { tokens: string[]; leaseLeftMs: number },
): Promise<ClaimedDelivery[]> {
  return queryRaw<ClaimedDelivery[]>`
    WITH w AS MATERIALIZED (
      ${webhooksOf(claims.tokens)} JOIN business b ON b.id = w.business_id
      WHERE w.is_active AND b.suspended_at IS NULL
    )
    UPDATE delivery d SET begun_at = statement_timestamp(), unrecorded = d.unrecorded + 1
    FROM notification n, w
    WHERE d.claim_token = ANY(${claims.tokens}::uuid[]) AND d.begun_at IS NULL AND d.status = 'waiting'
      AND d.claim_expires_at >= statement_timestamp() + ${claims.leaseLeftMs} * interval '1 ms'
      AND n.id = d.notification_id AND w.id = d.webhook_id
    RETURNING ${sent}`;
}

/**
 * Reads the deliveries of claims that the same transaction has begun. That transaction still locks
 * their webhooks.
 */
export async function readBegun(
  queryRaw: Statements["$queryRaw"],
  tokens: string[],
): Promise<ClaimedDelivery[]> {
  return queryRaw<ClaimedDelivery[]>`
    ${preparedByIndex} WITH w AS MATERIALIZED (${webhooksOf(tokens)})
    SELECT ${sent}
    FROM delivery d JOIN notification n ON n.id = d.notification_id JOIN w ON w.id = d.webhook_id
    WHERE d.claim_token = ANY(${tokens}::uuid[]) AND d.begun_at IS NOT NULL`;
}
