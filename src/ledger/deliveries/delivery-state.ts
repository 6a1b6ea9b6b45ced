import { worstFirst } from "../../domain/delivery/delivery.ts";
import type { AskedWebhook } from "../../domain/delivery/recorded-notification.ts";
import { Prisma } from "../generated/client.ts";

/**
 * Condition on deliveries `d`: those that decide the state of a notification. They went to the
 * webhook that is asked about, or with null to the first webhook. Once a webhook was the first one,
 * its deliveries count as such for ever.
 */
export const isAskedAbout = (webhookId: string | null): Prisma.Sql =>
  webhookId === null
    ? Prisma.sql`NOT d.is_additional`
    : Prisma.sql`(d.webhook_id = ${webhookId}::uuid
        OR NOT d.is_additional AND NOT coalesce((SELECT is_additional FROM webhook WHERE id = ${webhookId}::uuid), true))`;

/**
 * The status of a notification, from its deciding deliveries `d` with their webhooks `w`. It is
 * delivered if any delivery was. Otherwise it is the status of the latest delivery. A waiting
 * delivery without an active webhook is held. Without a delivery the webhook's filter left the
 * notification out.
 */
export const deliveryStatus = Prisma.sql`
  coalesce(CASE WHEN bool_or(d.status = 'delivered') THEN 'delivered'
    ELSE (array_agg(CASE
      WHEN d.status = 'waiting' AND (w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL) THEN 'held'
      ELSE d.status END ORDER BY d.seq DESC, d.id DESC))[1] END, 'filtered')`;

/** The webhook by which the deliveries `d` of a notification are grouped. Null: the first one. */
export const webhookOf = Prisma.sql`CASE WHEN d.is_additional THEN d.webhook_id END`;

/** The statuses as an array, whose positions sort those of one notification at several webhooks. */
export const worstRanks = Prisma.sql`${[...worstFirst]}::text[]`;

/**
 * Joins to a notification `n` its state as `s`: status, attempts and delivered_at. It is the state
 * at the first or the given webhook, or at that where it stands worst. `webhook_id` says which one;
 * null: the first.
 */
export const joinDeliveryState = (webhook: AskedWebhook | null = null): Prisma.Sql =>
  webhook === "any"
    ? Prisma.sql`
  CROSS JOIN LATERAL (
    SELECT * FROM (
      ${stateOf(Prisma.sql`true`, webhookOf)} GROUP BY ${webhookOf}
      UNION ALL SELECT 'filtered', 0, NULL, NULL
    ) at_webhook
    ORDER BY array_position(${worstRanks}, status), webhook_id NULLS FIRST LIMIT 1
  ) s`
    : Prisma.sql`
  CROSS JOIN LATERAL (
    ${stateOf(isAskedAbout(webhook?.id ?? null), Prisma.sql`${webhook?.id ?? null}::uuid`)}
  ) s`;

/** Joins to a notification `n` its states as `s`, one of each webhook that wanted it. */
export const joinEachState = Prisma.sql`
  CROSS JOIN LATERAL (${stateOf(Prisma.sql`true`, webhookOf)} GROUP BY ${webhookOf}) s`;

function stateOf(isAsked: Prisma.Sql, webhookId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
  SELECT ${deliveryStatus} AS status,
    coalesce(sum((SELECT count(*) FROM attempt a WHERE a.delivery_id = d.id)), 0)::int AS attempts,
    min(d.delivered_at) AS delivered_at, ${webhookId} AS webhook_id
  FROM delivery d LEFT JOIN webhook w ON w.id = d.webhook_id
  WHERE d.notification_id = n.id AND ${isAsked}`;
}
