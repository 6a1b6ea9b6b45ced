import type { AskedStatus, StoredDeliveryStatus } from "../../domain/delivery/delivery.ts";
import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";
import { words } from "../postgres/words.ts";

/** The statuses of an existing delivery that is not delivered; see deliveryStatuses. */
type UndeliveredStatus = Exclude<AskedStatus, "delivered" | "filtered">;

/**
 * Condition on a waiting delivery `d` with its webhook `w`: no active webhook is there to notify.
 */
const isHeld = Prisma.sql`(w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL)`;

/** At most this many notifications are collected before the list is read. */
export const mostCollected = 5_000;

type Whose = { businessId: string | null; asked: Prisma.Sql };

/**
 * A condition: the notification `n` has a delivery with this status. If there are few, an index
 * collects them first. If there are many, the rows of the list are tested one by one. OFFSET 0
 * makes PostgreSQL do so, however few it expects.
 */
export async function isUndelivered(
  on: Statements,
  of: Whose,
  status: UndeliveredStatus,
): Promise<Prisma.Sql> {
  const found = await on.$queryRaw<{ id: string }[]>`
    SELECT u.notification_id AS id FROM (${undeliveredNotifications(of, status)}) u LIMIT ${mostCollected + 1}`;
  if (found.length <= mostCollected)
    return Prisma.sql`n.id = ANY(${found.map(({ id }) => id)}::uuid[])`;
  return Prisma.sql`EXISTS (
    SELECT FROM delivery d WHERE d.notification_id = n.id AND d.status IN (${words(storedAs[status])}) AND ${of.asked} OFFSET 0)`;
}

const storedAs = {
  exhausted: ["exhausted"],
  cancelled: ["cancelled"],
  held: ["waiting"],
  waiting: ["waiting"],
  undelivered: ["exhausted", "waiting"],
} as const satisfies Record<UndeliveredStatus, readonly StoredDeliveryStatus[]>;

/**
 * A query of the `notification_id` of every delivery with this status. A null business: of all
 * businesses. `asked`: a condition on the deliveries `d`, see isAskedAbout. A notification may also
 * have a delivered delivery. The cost grows with the undelivered ones only.
 */
export function undeliveredNotifications(of: Whose, status: UndeliveredStatus): Prisma.Sql {
  const { businessId, asked } = of;
  const ofBusiness =
    businessId === null ? Prisma.sql`true` : Prisma.sql`d.business_id = ${businessId}::uuid`;
  const isOurs = Prisma.sql`${ofBusiness} AND ${asked}`;
  const ended = (as: string) => Prisma.sql`
    SELECT d.notification_id FROM delivery d WHERE d.status = ${as} AND ${isOurs}`;
  const waiting = (isIt: Prisma.Sql) => Prisma.sql`
    SELECT d.notification_id FROM ${waitingDeliveries} x JOIN delivery d ON d.id = x.id
      LEFT JOIN webhook w ON w.id = d.webhook_id
    WHERE ${isOurs} AND ${isIt}`;
  if (status === "exhausted" || status === "cancelled") return ended(status);
  if (status === "held") return waiting(isHeld);
  if (status === "waiting") return waiting(Prisma.sql`NOT ${isHeld}`);
  return Prisma.sql`${ended("exhausted")} UNION ALL ${waiting(Prisma.sql`true`)}`;
}
