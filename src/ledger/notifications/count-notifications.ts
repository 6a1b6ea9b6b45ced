import type {
  NotificationCounts,
  NotificationCountsAsked,
  StatusCounts,
} from "../../domain/business/notification-counts.ts";
import {
  type DeliveryStatus,
  deliveryStatuses,
  undeliveredStatuses,
} from "../../domain/delivery/delivery.ts";
import { keysOf } from "../../domain/keys-of.ts";
import type { BucketRange } from "../../domain/time-bucket.ts";
import {
  deliveryStatus,
  isAskedAbout,
  webhookOf,
  worstRanks,
} from "../deliveries/delivery-state.ts";
import { undeliveredNotifications } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";

/**
 * At most this many notifications are read to see how they stand. Beyond that, counts leave out
 * older notifications.
 */
const maxApart = 200_000;

type Counted = {
  bucket: number;
  status: DeliveryStatus | null;
  count: bigint;
  isWhole: boolean | null;
};

/**
 * The most notifications whose deliveries are read to count those of one webhook. If the range has
 * more, older ones are left out.
 */
const maxLookedAt = 100_000;

/**
 * Counts the notifications of a time range by status, by the time of their creation. Each counts
 * once, by the webhook where it stands worst. All notifications are counted by an index alone, and
 * so are those that a filter left out. The few undelivered ones are read, and subtracted from the
 * delivered. Of several webhooks, those that the first one's filter left out are read too.
 *
 * For one webhook, each notification is read: no index has the deliveries of a first webhook.
 */
export async function countNotifications(
  db: Database,
  asked: NotificationCountsAsked,
): Promise<NotificationCounts> {
  if (asked.webhookId !== null) return countAt(db, asked, asked.webhookId);
  const rows = await readRows<Counted>(db, countsSql(asked));
  const { counts, add } = sumsOf(asked.range);
  for (const { bucket, status, count } of rows) {
    add(bucket, status ?? "delivered", Number(count));
    if (status !== null) add(bucket, "delivered", -Number(count));
  }
  return { ...counts, isWhole: rows.every(({ isWhole }) => isWhole ?? true) };
}

/** Sums by bucket, each beginning at 0. The first bucket is 1, as PostgreSQL counts them. */
function sumsOf({ starts }: BucketRange) {
  const counts = { buckets: starts.map((at) => ({ at, ...none() })), total: none() };
  return {
    counts,
    add(bucket: number, status: DeliveryStatus, count: number) {
      const one = counts.buckets[bucket - 1];
      if (one !== undefined) one[status] += count;
      counts.total[status] += count;
    },
  };
}

async function countAt(
  db: Database,
  { businessId, range }: NotificationCountsAsked,
  webhookId: string,
): Promise<NotificationCounts> {
  const rows = await readRows<CountedAt>(
    db,
    Prisma.sql`
      WITH looked AS MATERIALIZED (
        SELECT n.id, n.created_at FROM notification n
        WHERE n.business_id = ${businessId}::uuid
          AND n.created_at >= ${range.starts[0]} AND n.created_at < ${range.to}
        ORDER BY n.created_at DESC, n.id DESC LIMIT ${maxLookedAt}
      ), standing AS (
        SELECT looked.created_at, ${deliveryStatus} AS status
        FROM looked JOIN delivery d ON d.notification_id = looked.id LEFT JOIN webhook w ON w.id = d.webhook_id
        WHERE ${isAskedAbout(webhookId)}
        GROUP BY looked.id, looked.created_at HAVING bool_or(d.webhook_id = ${webhookId}::uuid)
      )
      SELECT width_bucket(created_at, ${range.starts}::timestamptz[]) AS bucket, status, count(*),
        (SELECT count(*) < ${maxLookedAt} FROM looked) AS "isWhole"
      FROM standing GROUP BY 1, 2`,
  );
  const { counts, add } = sumsOf(range);
  for (const { bucket, status, count } of rows) add(bucket, status, Number(count));
  return { ...counts, isWhole: rows.every(({ isWhole }) => isWhole) };
}

type CountedAt = { bucket: number; status: DeliveryStatus; count: bigint; isWhole: boolean };

/** The statuses of a delivery that is not delivered. */
const notDelivered = [...undeliveredStatuses, "cancelled"] as const;

/**
 * One statement, and so one moment: all that is subtracted was also counted. A row without a status
 * counts its whole bucket.
 */
function countsSql({ businessId, range }: NotificationCountsAsked): Prisma.Sql {
  const edges = [...range.starts, range.to];
  const [lows, highs] = [edges.slice(0, -1), edges.slice(1)];
  const any = { businessId, at: null };
  const undelivered = Prisma.join(
    notDelivered.map((status) => undeliveredNotifications(any, status, "all")),
    " UNION ",
  );
  const isOurs = Prisma.sql`n.business_id = ${businessId}::uuid`;
  const hasSeveral = Prisma.sql`EXISTS (
    SELECT 1 FROM webhook w WHERE w.business_id = ${businessId}::uuid AND w.is_additional)`;
  const isCounted = Prisma.sql`${isOurs} AND n.created_at >= b.low AND n.created_at < b.high
    AND (since.whole OR (n.created_at, n.id) >= (since.created_at, since.id))`;
  return Prisma.sql`
    WITH apart AS MATERIALIZED (
      SELECT n.id, n.created_at FROM (
        ${undelivered} UNION SELECT n.id FROM notification n WHERE ${isOurs} AND n.is_filtered
          AND n.created_at >= ${lows[0]} AND n.created_at < ${highs.at(-1)} AND ${hasSeveral}
      ) c JOIN notification n ON n.id = c.notification_id
      WHERE n.created_at >= ${lows[0]} AND n.created_at < ${highs.at(-1)}
      ORDER BY n.created_at DESC, n.id DESC LIMIT ${maxApart}
    ), since AS (
      SELECT counted.whole, oldest.id, oldest.created_at
      FROM (SELECT count(*) < ${maxApart} AS whole FROM apart) counted
      LEFT JOIN LATERAL (SELECT id, created_at FROM apart ORDER BY created_at, id LIMIT 1) oldest ON true
    ), at_webhook AS (
      SELECT apart.id, apart.created_at, ${deliveryStatus} AS status
      FROM apart LEFT JOIN delivery d ON d.notification_id = apart.id LEFT JOIN webhook w ON w.id = d.webhook_id
      GROUP BY apart.id, apart.created_at, ${webhookOf}
    ), standing AS (
      SELECT created_at, (${worstRanks})[min(array_position(${worstRanks}, status))] AS status
      FROM at_webhook GROUP BY id, created_at
    )
    SELECT b.bucket::int, n.status, n.count, since.whole AS "isWhole"
    FROM since CROSS JOIN unnest(${lows}::timestamptz[], ${highs}::timestamptz[]) WITH ORDINALITY b(low, high, bucket)
    CROSS JOIN LATERAL (
      SELECT NULL AS status, count(*) FROM notification n WHERE ${isCounted}
      UNION ALL SELECT 'filtered', count(*) FROM notification n WHERE ${isCounted} AND n.is_filtered AND NOT ${hasSeveral}
    ) n WHERE n.count > 0
    UNION ALL
    SELECT width_bucket(s.created_at, ${lows}::timestamptz[]), s.status, count(*), NULL
    FROM standing s WHERE s.status <> 'delivered' GROUP BY 1, 2`;
}

function none(): StatusCounts {
  return Object.fromEntries(keysOf(deliveryStatuses).map((status) => [status, 0])) as StatusCounts;
}
