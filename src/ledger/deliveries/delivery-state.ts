import { Prisma } from "../generated/client.ts";

/**
 * The deliveries `d` that say how a notification stands: those to the first webhook, or those to
 * the one that is asked about. A webhook that was first once is first for ever.
 */
export const isAskedAbout = (webhookId: string | null): Prisma.Sql =>
  webhookId === null
    ? Prisma.sql`NOT d.is_additional`
    : Prisma.sql`(d.webhook_id = ${webhookId}::uuid
        OR NOT d.is_additional AND NOT coalesce((SELECT is_additional FROM webhook WHERE id = ${webhookId}::uuid), true))`;

/**
 * The status of a notification, from such deliveries `d` with their webhooks `w`. A notification
 * that was accepted once is delivered. Otherwise it has the status of its latest delivery. A
 * waiting one whose webhook is not notified is held. One without a delivery was left out by the
 * webhook's filter.
 */
export const deliveryStatus = Prisma.sql`
  coalesce(CASE WHEN bool_or(d.status = 'delivered') THEN 'delivered'
    ELSE (array_agg(CASE
      WHEN d.status = 'waiting' AND (w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL) THEN 'held'
      ELSE d.status END ORDER BY d.seq DESC, d.id DESC))[1] END, 'filtered')`;

/**
 * Joins to a notification `n` how it stands at the first webhook, or at the given one, as `s`:
 * status, attempts and delivered_at.
 */
export const joinDeliveryState = (webhookId: string | null = null): Prisma.Sql => Prisma.sql`
  CROSS JOIN LATERAL (
    SELECT ${deliveryStatus} AS status,
      coalesce(sum((SELECT count(*) FROM attempt a WHERE a.delivery_id = d.id)), 0)::int AS attempts,
      min(d.delivered_at) AS delivered_at
    FROM delivery d LEFT JOIN webhook w ON w.id = d.webhook_id 
    WHERE d.notification_id = n.id AND ${isAskedAbout(webhookId)}
  ) s`;
