import { z } from "zod";
import { deliveryStatuses } from "../domain/delivery/delivery.ts";
import type {
  FullNotification,
  NotificationFilter,
  RecordedNotification,
} from "../domain/delivery/recorded-notification.ts";
import { keysOf } from "../domain/keys-of.ts";
import { count, deliveryStatusText, eventText, idText, timeText } from "./answers.ts";
import { dateField, given, idField, textField } from "./fields.ts";
import { included, includeFieldOf } from "./include.ts";
import { moneyFields, presentMoney } from "./transaction.ts";

/** A notification as lists show it. */
export const recordedNotification = z.object({
  id: idText,
  event: eventText,
  status: deliveryStatusText,
  transaction_id: idText.nullable(),
  created_at: timeText,
  delivered_at: timeText.nullable(),
  attempt_count: count,
  payload: z.record(z.string(), z.unknown()),
});

export function presentRecordedNotification(
  notification: RecordedNotification,
): z.output<typeof recordedNotification> {
  return {
    id: notification.id,
    event: notification.event,
    status: notification.status,
    transaction_id: notification.transactionId,
    created_at: notification.createdAt.toISOString(),
    delivered_at: notification.deliveredAt?.toISOString() ?? null,
    attempt_count: notification.attempts,
    payload: JSON.parse(notification.body),
  };
}

/** A notification with what is known of its transaction, as exports have it. */
export const fullNotification = recordedNotification.extend(moneyFields);

type MoneyField = keyof typeof moneyFields;

/** Fields that a list is asked to have beside those that it always has. */
export const notificationIncludeField = includeFieldOf(keysOf(moneyFields), "fee,usd_value,label");

export function presentFullNotification(
  notification: FullNotification,
): z.output<typeof fullNotification> {
  return { ...presentRecordedNotification(notification), ...presentMoney(notification) };
}

/** A row of a list that was asked for some of the further fields. */
export function presentNotificationIncluding(
  notification: FullNotification,
  include: readonly MoneyField[],
) {
  return {
    ...presentRecordedNotification(notification),
    ...included(presentMoney(notification), include),
  };
}

const statuses = keysOf(deliveryStatuses);

/** The filters of a list of notifications. */
export const notificationFilterFields = {
  event: textField.optional(),
  status: z.enum(statuses, `expected one of ${statuses.join(", ")}`).optional(),
  transaction_id: idField.optional(),
  webhook_id: idField.optional(),
  from: dateField.optional(),
  to: dateField.optional(),
};

type Asked = z.output<z.ZodObject<typeof notificationFilterFields>>;

export function notificationFilterOf(asked: Asked): NotificationFilter {
  const { event, status, transaction_id, webhook_id, from, to } = asked;
  return given({
    event,
    status,
    from,
    to,

    transactionId: transaction_id,
    webhookId: webhook_id,
  });
}
