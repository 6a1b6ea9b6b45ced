import type {
  NotificationCounts,
  NotificationCountsAsked,
  StatusCounts,
} from "../../domain/business/notification-counts.ts";
import { type DeliveryStatus, deliveryStatuses } from "../../domain/delivery/delivery.ts";
import { leastIdAt } from "../../domain/id.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { deliveryStatus } from "../deliveries/delivery-state.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/read-rows.ts";

/** Counted at once: a few tenths of a second of the database's time. */
const maxCounted = 200_000;

type Counted = { bucket: number; status: DeliveryStatus; count: bigint };

/** How the notifications of a range stand, by the time at which they were written: the newest 200,000 of them. */
export async function countNotifications(
  db: Database,
  { businessId, range }: NotificationCountsAsked,
): Promise<NotificationCounts> {
  const starts = range.starts.map((at) => leastIdAt(at));
  const end = leastIdAt(range.to);
  const rows = await readRows<Counted>(
    db,
    Prisma.sql`
      SELECT width_bucket(s.id, ${starts}::uuid[]) AS bucket, s.status, count(*) AS count
      FROM (
        SELECT n.id, ${deliveryStatus} AS status
        FROM (
          SELECT id FROM notification
          WHERE business_id = ${businessId}::uuid AND id >= ${starts[0]}::uuid AND id < ${end}::uuid
          ORDER BY id DESC LIMIT ${maxCounted}
        ) n
        LEFT JOIN delivery d ON d.notification_id = n.id LEFT JOIN webhook w ON w.id = d.webhook_id
        GROUP BY n.id
      ) s GROUP BY 1, 2`,
  );
  const buckets = range.starts.map((at) => ({ at, ...none() }));
  const total = none();
  for (const { bucket, status, count } of rows) {
    const one = buckets[bucket - 1];
    if (one !== undefined) one[status] += Number(count);
    total[status] += Number(count);
  }
  const sum = Object.values(total).reduce((all, count) => all + count, 0);
  return { buckets, total, isWhole: sum < maxCounted };
}

function none(): StatusCounts {
  return Object.fromEntries(keysOf(deliveryStatuses).map((status) => [status, 0])) as StatusCounts;
}
