import { z } from "zod";
import type { AnyNotificationName } from "../../domain/delivery/recorded-notification.ts";
import { requireId } from "../../domain/not-found.ts";
import { idText } from "../../schema/answers.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";

type Ledger = { redeliver: (asked: AnyNotificationName) => Promise<{ deliveryId: string }> };

/**
 * Delivers a notification of any business once more, in one attempt, with the same body and id.
 * @throws Fault `notification_not_found`, `webhook_inactive`, `delivery_in_flight`
 */
export const notificationRedeliver = defineChangeOfOne({
  noun: "notification",
  name: "redeliver",
  param: "id",
  http: {
    method: "POST",
    path: "/notifications/:id/redeliver",
    summary: "Deliver a notification once more",
    status: 202,
    refuses: ["webhook_inactive", "delivery_in_flight"],
  },
  help: "Deliver a notification once more: the same body and id, one attempt.",
  check: (id) => requireId(id, "notification_not_found"),
  call: (ledger: Ledger, notificationId) => ledger.redeliver({ businessId: null, notificationId }),
  describe: ({ deliveryId }, id) => ({ subject: id, details: { deliveryId } }),
  answer: z.object({ id: idText, delivery_id: idText }),
  present: ({ deliveryId }, id) => ({ id, delivery_id: deliveryId }),
});
