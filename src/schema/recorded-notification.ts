import { z } from "zod";
import { attemptGuide } from "../domain/delivery/attempt-guide.ts";
import { askedStatuses, undeliveredStatuses } from "../domain/delivery/delivery.ts";
import type {
  FullNotification,
  LastAttempt,
  ListedNotification,
  NotificationDetail,
  NotificationFilter,
  RecordedNotification,
  SentRequest,
} from "../domain/delivery/recorded-notification.ts";
import { keysOf } from "../domain/keys-of.ts";
import { count, deliveryStatusText, eventText, idText, timeText } from "./answers.ts";
import { dateField, given, idField, ofNamedField, textField } from "./fields.ts";
import { included, includeFieldOf } from "./include.ts";
import { moneyFields, presentMoney, sortField } from "./transaction.ts";

/** The fields of a notification that every answer has. */
const recordedNotification = z.object({
  id: idText,
  event: eventText,
  status: deliveryStatusText,
  transaction_id: idText.nullable(),
  created_at: timeText,
  delivered_at: timeText.nullable(),
  attempt_count: count,
  payload: z.record(z.string(), z.unknown()),
});

function presentRecordedNotification(
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

/** The reason why an attempt has no answer, or none that is shown. Null: it has one. */
export const attemptErrorText = z.enum(keysOf(attemptGuide)).nullable();

const lastAttempt = z
  .object({
    url: z.string().nullable(),
    at: timeText,
    status_code: z.int().nullable(),
    error: attemptErrorText,
    response: z
      .string()
      .nullable()
      .meta({ description: "The first 200 characters of the answer. Null: none is kept." }),
  })
  .meta({ id: "LastAttempt" });

/** A notification in a list, with its last attempt. */
export const listedNotification = recordedNotification.extend({
  webhook_id: idText.nullable().meta({
    description: "The webhook that `status` is of. Null: the first one.",
  }),
  last_attempt: lastAttempt.nullable().meta({
    description: "The last attempt at the webhook that `status` is of. Null: there was none.",
  }),
});

/** Presents a notification of a list. A withheld answer is shown as in its attempts. */
export function presentListedNotification(
  notification: ListedNotification,
  shownTo: ShownTo,
): z.output<typeof listedNotification> {
  const { lastAttempt: last } = notification;
  return {
    ...presentRecordedNotification(notification),
    webhook_id: notification.webhookId,
    last_attempt:
      last === null
        ? null
        : {
            url: last.url,
            at: last.startedAt.toISOString(),
            ...resultOf(last, shownTo),
            response: last.response,
          },
  };
}

type ShownTo = "business" | "operator";

/**
 * The status or the error of an attempt. `withheld`: only the operator's allow-list permitted the
 * target. Then a business sees neither status nor text of the answer. The operator sees the status,
 * and the text was never stored.
 */
function resultOf(
  sent: Pick<LastAttempt, "statusCode" | "errorKind" | "isWithheld">,
  shownTo: ShownTo,
) {
  const isHidden = sent.isWithheld && shownTo === "business";
  return {
    status_code: isHidden ? null : sent.statusCode,
    error: isHidden ? ("withheld" as const) : sent.errorKind,
  };
}

const attempt = z
  .object({
    webhook_id: idText,
    number: count,
    url: z.string().nullable().meta({
      description:
        "The URL to which the attempt was sent. If `request` is null, the URL that the webhook has now. Null: the webhook was replaced long ago.",
    }),
    at: timeText,
    latency_ms: count,
    status_code: z.int().nullable(),
    error: attemptErrorText,
    response: z.string().nullable(),
    next_attempt_at: timeText.nullable(),
  })
  .meta({ id: "Attempt" });

const sentRequest = z
  .object({
    headers: z.array(
      z.object({
        name: z.string().meta({ examples: ["x-shop"] }),
        value: z
          .string()
          .nullable()
          .meta({
            description: "The value of the header. Null: it is masked.",
            examples: ["application/json"],
          }),
      }),
    ),
    is_secret_gone: z.boolean().meta({
      description: "True: one of its keys was replaced since, so all signatures are masked.",
    }),
  })
  .meta({
    id: "SentRequest",
    description:
      "The headers as they were sent, without those of HTTP itself. The values of your own headers are masked. The user agent is that of the release that answers.",
  });

/** An attempt with its request. */
const attemptWithRequest = attempt
  .extend({
    request: sentRequest.nullable().meta({
      description:
        "The request as it was sent. Null: an earlier release sent it, nobody knows how it ended, or its webhook is long gone.",
    }),
  })
  .meta({ id: "AttemptWithRequest" });

/** A notification with every attempt. */
export const notificationDetail = recordedNotification.extend({
  body: z
    .string()
    .meta({ description: "The body as text: exactly the bytes that are signed and sent." }),
  attempts: z.array(attempt),
});

/** A notification with every attempt and its request. */
export const notificationWithRequests = notificationDetail.extend({
  attempts: z.array(attemptWithRequest),
});

/** The same with the request of each attempt, in their order. */
export function presentNotificationWithRequests(
  detail: NotificationDetail,
  requests: readonly (SentRequest | null)[],
): z.output<typeof notificationWithRequests> {
  const { attempts, ...shown } = presentNotificationDetail(detail, "business");
  const withRequest = attempts.map((one, place) => {
    const made = requests[place] ?? null;
    const request =
      made === null ? null : { headers: made.headers, is_secret_gone: made.isSecretGone };
    return { ...one, request };
  });
  return { ...shown, attempts: withRequest };
}

/** Presents a notification with every attempt to a business or to an operator. */
export function presentNotificationDetail(
  detail: NotificationDetail,
  shownTo: ShownTo,
): z.output<typeof notificationDetail> {
  return {
    ...presentRecordedNotification(detail),
    body: detail.body,
    attempts: detail.attemptLog.map((sent) => ({
      webhook_id: sent.webhookId,
      number: sent.number,
      url: sent.url,
      at: sent.startedAt.toISOString(),
      latency_ms: sent.latencyMs,
      ...resultOf(sent, shownTo),
      response: sent.response,
      next_attempt_at: sent.nextDueAt?.toISOString() ?? null,
    })),
  };
}

/** A notification with what is known of its transaction, for exports. */
export const fullNotification = listedNotification.extend(moneyFields);

type MoneyField = keyof typeof moneyFields;

/** The optional fields of a list. */
export const notificationIncludeField = includeFieldOf(keysOf(moneyFields), "fee,usd_value,label");

export function presentFullNotification(
  notification: FullNotification,
): z.output<typeof fullNotification> {
  return {
    ...presentListedNotification(notification, "business"),
    ...presentMoney(notification),
  };
}

/** A row of a list, with the optional fields that were asked for. */
export function presentNotificationIncluding(
  notification: FullNotification,
  include: readonly MoneyField[],
) {
  return {
    ...presentListedNotification(notification, "business"),
    ...included(presentMoney(notification), include),
  };
}

/** The filters of a list of notifications. */
export const notificationFilterFields = {
  event: textField.optional(),
  status: z
    .enum(askedStatuses, `expected one of ${askedStatuses.join(", ")}`)
    .optional()
    .meta({
      description: `Only rows of this status. \`undelivered\`: ${undeliveredStatuses.join(", ")}.`,
    }),
  transaction_id: idField.optional(),
  webhook_id: z
    .union([z.literal("any"), idField], "expected a UUID, or any")
    .optional()
    .meta({
      description:
        "Only notifications of this webhook, by its id. Left out: of the first webhook. `any`: all, each by the webhook where it stands worst.",
    }),
  blockchain: textField.optional(),
  asset: textField.optional(),
  q: ofNamedField,
  sort: sortField.meta({
    description:
      "The order of the rows. `time`, the default: newest first. `amount`: those of the largest transaction first. It needs `asset`, and for an operator one business. It has notifications of transactions alone. A row may move to another page if a reorg changes the transaction's amount.",
  }),
  from: dateField.optional(),
  to: dateField.optional(),
};

type Asked = z.output<z.ZodObject<typeof notificationFilterFields>>;

export function notificationFilterOf(asked: Asked): NotificationFilter {
  const { event, status, transaction_id, webhook_id, blockchain, asset, q, sort, from, to } = asked;
  return given({
    event,
    status,
    from,
    to,
    chainName: blockchain,
    assetCode: asset,
    named: q,
    sort,
    transactionId: transaction_id,
    webhookId: webhook_id === undefined || webhook_id === "any" ? webhook_id : { id: webhook_id },
  });
}
