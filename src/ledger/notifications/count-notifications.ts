import type {
  NotificationCounts,
  NotificationCountsAsked,
  StatusCounts,
} from "../../domain/business/notification-counts.ts";
import { type DeliveryStatus, deliveryStatuses } from "../../domain/delivery/delivery.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { deliveryStatus, isAskedAbout } from "../deliveries/delivery-state.ts";
import { undeliveredNotifications } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";

/**
 * The most undelivered notifications that are looked at. Where there are more, older ones are left
 * out.
 */
const maxUndelivered = 200_000;

type Counted = {
  bucket: number;
  status: DeliveryStatus | null;
  count: bigint;
  isWhole: boolean | null;
};

/**
 * The standing of the notifications of a range, by the time at which they were written. All of them
 * are counted by an index alone, and so is what a filter left out. Of the others, what was not
 * delivered is little, and is taken out of that.
 */
export async function countNotifications(
  db: Database,
  asked: NotificationCountsAsked,
): Promise<NotificationCounts> {
  const rows = await readRows<Counted>(db, countsSql(asked));
  const buckets = asked.range.starts.map((at) => ({ at, ...none() }));
  const total = none();
  const add = (bucket: number, status: DeliveryStatus, count: number) => {
    const one = buckets[bucket - 1];
    if (one !== undefined) one[status] += count;
    total[status] += count;
  };
  for (const { bucket, status, count } of rows) {
    add(bucket, status ?? "delivered", Number(count));
    if (status !== null) add(bucket, "delivered", -Number(count));
  }
  return { buckets, total, isWhole: rows.every(({ isWhole }) => isWhole ?? true) };
}

const undeliveredStatuses = ["waiting", "held", "exhausted", "cancelled"] as const;

/**
 * One statement, so one moment: what is taken out was counted. A row without a status counts all of
 * its bucket.
 */
function countsSql({ businessId, range }: NotificationCountsAsked): Prisma.Sql {
  const edges = [...range.starts, range.to];
  const [lows, highs] = [edges.slice(0, -1), edges.slice(1)];
  const undelivered = Prisma.join(
    undeliveredStatuses.map((status) =>
      undeliveredNotifications({ businessId, webhookId: null }, status),
    ),
    " UNION ",
  );
  const isCounted = Prisma.sql`n.business_id = ${businessId}::uuid
    AND n.created_at >= b.low AND n.created_at < b.high
    AND (since.whole OR (n.created_at, n.id) >= (since.created_at, since.id))`;
  return Prisma.sql`
    WITH apart AS MATERIALIZED (
      SELECT n.id, n.created_at FROM (${undelivered}) c JOIN notification n ON n.id = c.notification_id
      WHERE n.created_at >= ${lows[0]} AND n.created_at < ${highs.at(-1)}
      ORDER BY n.created_at DESC, n.id DESC LIMIT ${maxUndelivered}
    ), since AS (
      SELECT counted.whole, oldest.id, oldest.created_at
      FROM (SELECT count(*) < ${maxUndelivered} AS whole FROM apart) counted
      LEFT JOIN LATERAL (SELECT id, created_at FROM apart ORDER BY created_at, id LIMIT 1) oldest ON true
    ), standing AS (
      SELECT apart.id, apart.created_at, ${deliveryStatus} AS status
      FROM apart JOIN delivery d ON d.notification_id = apart.id LEFT JOIN webhook w ON w.id = d.webhook_id
      WHERE ${isAskedAbout(null)} GROUP BY apart.id, apart.created_at
    )
    SELECT b.bucket::int, n.status, n.count, since.whole AS "isWhole"
    FROM since CROSS JOIN unnest(${lows}::timestamptz[], ${highs}::timestamptz[]) WITH ORDINALITY b(low, high, bucket)
    CROSS JOIN LATERAL (
      SELECT NULL AS status, count(*) FROM notification n WHERE ${isCounted}
      UNION ALL SELECT 'filtered', count(*) FROM notification n WHERE ${isCounted} AND n.is_filtered
    ) n WHERE n.count > 0
    UNION ALL
    SELECT width_bucket(s.created_at, ${lows}::timestamptz[]), s.status, count(*), NULL
    FROM standing s WHERE s.status <> 'delivered' GROUP BY 1, 2`;
}

function none(): StatusCounts {
  return Object.fromEntries(keysOf(deliveryStatuses).map((status) => [status, 0])) as StatusCounts;
}
