import type {
  NotificationCounts,
  NotificationCountsAsked,
  StatusCounts,
} from "../../domain/business/notification-counts.ts";
import { type DeliveryStatus, deliveryStatuses } from "../../domain/delivery/delivery.ts";
import { leastIdAt } from "../../domain/id.ts";
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
 * How the notifications of a range stand, by the time of what they are about. All of them are
 * counted by an index alone, and what was not delivered, of which there is little, is taken out of
 * that.
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
  const edges = [...range.starts, range.to].map(leastIdAt);
  const [lows, highs] = [edges.slice(0, -1), edges.slice(1)];
  const undelivered = Prisma.join(
    undeliveredStatuses.map((status) =>
      undeliveredNotifications({ businessId, webhookId: null }, status),
    ),
    " UNION ",
  );
  return Prisma.sql`
    WITH apart AS MATERIALIZED (
      SELECT notification_id AS id FROM (${undelivered}) c
      WHERE notification_id >= ${lows[0]}::uuid AND notification_id < ${highs.at(-1)}::uuid
      ORDER BY notification_id DESC LIMIT ${maxUndelivered}
    ), since AS (
      SELECT (SELECT count(*) FROM apart) < ${maxUndelivered} AS whole, (SELECT id FROM apart ORDER BY id LIMIT 1) AS id
    ), standing AS (
      SELECT apart.id, ${deliveryStatus} AS status
      FROM apart JOIN delivery d ON d.notification_id = apart.id LEFT JOIN webhook w ON w.id = d.webhook_id
      WHERE ${isAskedAbout(null)} GROUP BY apart.id
    )
    SELECT b.bucket::int, NULL AS status, n.count, since.whole AS "isWhole"
    FROM since CROSS JOIN unnest(${lows}::uuid[], ${highs}::uuid[]) WITH ORDINALITY b(low, high, bucket)
    CROSS JOIN LATERAL (
      SELECT count(*) FROM notification n
      WHERE n.business_id = ${businessId}::uuid AND n.id < b.high
        AND n.id >= CASE WHEN since.whole THEN b.low ELSE GREATEST(b.low, since.id) END
    ) n WHERE n.count > 0
    UNION ALL
    SELECT width_bucket(s.id, ${lows}::uuid[]), s.status, count(*), NULL
    FROM standing s WHERE s.status <> 'delivered' GROUP BY 1, 2`;
}

function none(): StatusCounts {
  return Object.fromEntries(keysOf(deliveryStatuses).map((status) => [status, 0])) as StatusCounts;
}
