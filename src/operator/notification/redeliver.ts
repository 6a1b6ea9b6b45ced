import { z } from "zod";
import type { AnyNotificationName } from "../../domain/delivery/recorded-notification.ts";
import { requireId } from "../../domain/not-found.ts";
import { idText } from "../../schema/answers.ts";
import { idField } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument, optional, text } from "../parameter.ts";

type Asked = AnyNotificationName & { webhookId: string | undefined };

type Ledger = { redeliver: (asked: Asked) => Promise<{ deliveryId: string }> };

/** `webhook`: the id of the webhook that gets it. Undefined: the business's first webhook. */
type Input = { id: string; webhook: string | undefined };

/**
 * Delivers a notification of any business once more, in one attempt, with the same body and id.
 * @throws Fault `notification_not_found`, `webhook_not_found`, `webhook_inactive`,
 *   `delivery_in_flight`
 */
export const notificationRedeliver = defineChange({
  noun: "notification",
  http: {
    method: "POST",
    path: "/notifications/:id/redeliver",
    summary: "Deliver a notification once more",
    status: 202,
    body: z
      .strictObject({
        webhook_id: idField.optional().meta({
          description: "The id of the webhook that gets it. Left out: the first webhook.",
        }),
      })
      .nullish(),
    refuses: ["webhook_not_found", "webhook_inactive", "delivery_in_flight"],
    input: ({ params, body }) => ({ id: params.id, webhook: body?.webhook_id }),
  },
  cli: {
    name: "redeliver",
    help: "Deliver a notification once more: the same body and id, one attempt.",
    examples: ["notification redeliver 018f…", "notification redeliver 018f… --webhook 018e…"],
    takes: {
      id: argument("<id>", "the id of the notification"),
      webhook: optional(
        "--webhook <id>",
        text,
        "to this webhook; otherwise to the first of the business",
      ),
    },
  },
  check: ({ id, webhook }: Input): Asked => ({
    businessId: null,
    notificationId: requireId(id, "notification_not_found"),
    webhookId: webhook === undefined ? undefined : requireId(webhook, "webhook_not_found"),
  }),
  call: (ledger: Ledger, asked) => ledger.redeliver(asked),
  audit: {
    action: "notification.redeliver",
    describe: ({ deliveryId }, { notificationId }) => ({
      subject: notificationId,
      details: { deliveryId },
    }),
  },
  answer: z.object({ id: idText, delivery_id: idText }),
  present: ({ deliveryId }, { notificationId }) => ({
    id: notificationId,
    delivery_id: deliveryId,
  }),
});
