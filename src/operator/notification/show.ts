import type {
  AnyNotificationName,
  NotificationDetail,
} from "../../domain/delivery/recorded-notification.ts";
import { requireId } from "../../domain/not-found.ts";
import { idText } from "../../schema/answers.ts";
import {
  notificationDetail,
  presentNotificationDetail,
} from "../../schema/recorded-notification.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";

type Ports = {
  ledger: {
    readNotification: (name: AnyNotificationName) => Promise<NotificationDetail>;
  };
};

/**
 * Shows one notification of any business, with every attempt and its answer.
 * @throws Fault `notification_not_found`
 */
export const notificationShow = defineReading({
  noun: "notification",
  http: {
    method: "GET",
    path: "/notifications/:id",
    summary: "One notification of any business with every attempt",
    input: ({ params: { id } }) => ({ id }),
  },
  cli: {
    name: "show",
    help: "Show one notification of any business with every attempt and its answer.",
    examples: ["notification show 018f…"],
    takes: { id: argument("<id>", "the id of the notification") },
  },
  check: ({ id }: { id: string }) => requireId(id, "notification_not_found"),
  call: ({ ledger }: Ports, notificationId) =>
    ledger.readNotification({ businessId: null, notificationId }),
  answer: notificationDetail
    .extend({ business_id: idText })
    .meta({ id: "AdminNotificationDetail" }),
  present: (detail) => ({
    ...presentNotificationDetail(detail, "operator"),
    business_id: detail.businessId,
  }),
});
