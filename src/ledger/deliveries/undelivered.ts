import type { DeliveryStatus } from "../../domain/delivery/delivery.ts";
import { Prisma } from "../generated/client.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/** The statuses of an existing delivery that is not delivered; see deliveryStatuses. */
export type UndeliveredStatus = Exclude<DeliveryStatus, "delivered" | "filtered">;

/**
 * Condition on a waiting delivery `d` with its webhook `w`: no active webhook is there to notify.
 */
const isHeld = Prisma.sql`(w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL)`;

/**
 * A query of the `notification_id` of every delivery with this status. A null business: of all
 * businesses. `asked`: a condition on the deliveries `d`, see isAskedAbout. A notification may also
 * have a delivered delivery. The cost grows with the undelivered ones only.
 */
export function undeliveredNotifications(
  of: { businessId: string | null; asked: Prisma.Sql },
  status: UndeliveredStatus,
): Prisma.Sql {
  const { businessId, asked } = of;
  const ofBusiness =
    businessId === null ? Prisma.sql`true` : Prisma.sql`d.business_id = ${businessId}::uuid`;
  const isOurs = Prisma.sql`${ofBusiness} AND ${asked}`;
  if (status === "exhausted" || status === "cancelled")
    return Prisma.sql`SELECT d.notification_id FROM delivery d WHERE d.status = ${status} AND ${isOurs}`;
  return Prisma.sql`
    SELECT d.notification_id FROM ${waitingDeliveries} x JOIN delivery d ON d.id = x.id
      LEFT JOIN webhook w ON w.id = d.webhook_id
    WHERE ${isOurs} AND ${status === "held" ? isHeld : Prisma.sql`NOT ${isHeld}`}`;
}
