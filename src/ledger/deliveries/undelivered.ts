import type { DeliveryStatus } from "../../domain/delivery/delivery.ts";
import { Prisma } from "../generated/client.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";
import { isAskedAbout } from "./delivery-state.ts";

/** The statuses of a delivery that is there and not delivered; see deliveryStatuses. */
export type UndeliveredStatus = Exclude<DeliveryStatus, "delivered" | "filtered">;

/** Of a waiting delivery `d` with its webhook `w`: nobody is notified there. */
const isHeld = Prisma.sql`(w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL)`;

/**
 * A query of the `notification_id` of every delivery that stands so, of a business or of all
 * (null), at a webhook or at the first ones (null). A notification may have another that was
 * delivered. Costs as much as there are of them, and nothing for what was delivered.
 */
export function undeliveredNotifications(
  of: { businessId: string | null; webhookId: string | null },
  status: UndeliveredStatus,
): Prisma.Sql {
  const { businessId, webhookId } = of;
  const ofBusiness =
    businessId === null ? Prisma.sql`true` : Prisma.sql`d.business_id = ${businessId}::uuid`;
  const isOurs = Prisma.sql`${ofBusiness} AND ${isAskedAbout(webhookId)}`;
  if (status === "exhausted" || status === "cancelled")
    return Prisma.sql`SELECT d.notification_id FROM delivery d WHERE d.status = ${status} AND ${isOurs}`;
  return Prisma.sql`
    SELECT d.notification_id FROM ${waitingDeliveries} x JOIN delivery d ON d.id = x.id
      LEFT JOIN webhook w ON w.id = d.webhook_id
    WHERE ${isOurs} AND ${status === "held" ? isHeld : Prisma.sql`NOT ${isHeld}`}`;
}
