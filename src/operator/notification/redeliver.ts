import { z } from "zod";
import { requireId } from "../../domain/not-found.ts";
import { idText } from "../../schema/answers.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";

type Ledger = {
  redeliver: (asked: {
    businessId: string | null;
    notificationId: string;
  }) => Promise<{ deliveryId: string }>;
};

/**
 * One more delivery of any business's notification, with the same body and id, in one attempt.
 * @throws Fault `notification_not_found`, `webhook_inactive`, `delivery_in_flight`
 */
export const notificationRedeliver = defineChange({
  noun: "notification",
  http: {
    method: "POST",
    path: "/notifications/:id/redeliver",
    summary: "Deliver a notification once more",
    status: 202,
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "redeliver",
    help: "Deliver a notification once more: the same body and id, one attempt.",
    examples: ["notification redeliver 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireId(id, "notification_not_found"),
  call: ({ ledger }: { ledger: Ledger }, notificationId) =>
    ledger.redeliver({ businessId: null, notificationId }),
  audit: {
    action: "notification.redeliver",
    describe: ({ deliveryId }, id) => ({ subject: id, details: { deliveryId } }),
  },
  answer: z.object({ id: idText, delivery_id: idText }),
  present: ({ deliveryId }, id) => ({ id, delivery_id: deliveryId }),
});
