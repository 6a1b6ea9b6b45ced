import { z } from "zod";
import { askedStatuses } from "../../domain/delivery/delivery.ts";
import type {
  AnyNotificationsAsked,
  AskedWebhook,
  NotificationFilter,
  OwnedListedNotification,
} from "../../domain/delivery/recorded-notification.ts";
import { transactionSorts } from "../../domain/money/recorded-transaction.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page } from "../../domain/page.ts";
import { idText } from "../../schema/answers.ts";
import { given, idField } from "../../schema/fields.ts";
import {
  listedNotification,
  notificationFilterFields,
  presentListedNotification,
} from "../../schema/recorded-notification.ts";
import { customerFields } from "../../schema/transaction.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { moment, oneOf, optional, text } from "../parameter.ts";

type Ledger = BusinessReader & {
  listNotifications: (asked: AnyNotificationsAsked) => Promise<Page<OwnedListedNotification>>;
};

type Filter = { business: string | undefined; webhookId: string | undefined } & Required<
  UndefinedOr<Omit<NotificationFilter, "webhookId">>
>;

type UndefinedOr<T> = { [K in keyof T]: T[K] | undefined };

/**
 * Lists the notifications of all businesses, or of one. The order is that in which they were
 * written, newest first, or that of one asset's amounts.
 */
export const notificationList = defineList({
  noun: "notification",
  http: {
    path: "/notifications",
    mayBeStale: true,
    refuses: ["business_not_found"],
    summary: "List the notifications of all businesses",
    query: { business_id: idField.optional(), ...notificationFilterFields },
    filter: ({ query }) => ({
      business: query.business_id,

      event: query.event,
      status: query.status,
      from: query.from,
      to: query.to,
      chainName: query.blockchain,
      assetCode: query.asset,
      named: query.q,
      sort: query.sort,
      transactionId: query.transaction_id,
      webhookId: query.webhook_id,
    }),
  },
  cli: {
    name: "list",
    help: "List notifications, newest first or largest first, of all businesses or of one.",
    examples: [
      "notification list --status exhausted --limit 20",
      "notification list --business 018f… --json",
      "notification list --business 018f… --named order-17",
      "notification list --business 018f… --asset USDC --sort amount",
    ],
    takes: {
      business: optional("--business <id>", text, "of this business alone"),
      event: optional("--event <name>", text, "of this event alone, such as transaction.reversed"),
      status: optional(
        "--status <word>",
        oneOf(askedStatuses),
        `with this status: ${askedStatuses.join(", ")}`,
      ),
      transactionId: optional("--transaction <id>", text, "about this transaction alone"),
      webhookId: optional(
        "--webhook <id>",
        text,
        "that this webhook has had, or is to have; any: each at the webhook where it stands worst",
      ),
      chainName: optional("--blockchain <name>", text, "of this chain alone"),
      assetCode: optional("--asset <code>", text, "of this asset alone, such as USDC"),
      named: optional(
        "--named <text>",
        text,
        "about wallets with this text in their reference or label, or at the beginning of their address",
      ),
      sort: optional(
        "--sort <word>",
        oneOf(transactionSorts),
        "by time, newest first, unless it is named; or by amount of the asset of one business, largest first",
      ),
      from: optional("--from <time>", moment, "written at that time or later"),
      to: optional("--to <time>", moment, "written before that time"),
    },
    // There may be very many, too many for a screen.
    standardLimit: 100,
  },
  check: ({ business, transactionId, webhookId, ...filter }: Filter) => ({
    businessId: idOrNone(business, "business_not_found") ?? null,
    filter: given({
      ...filter,
      transactionId: idOrNone(transactionId, "transaction_not_found"),
      webhookId: webhookIn(webhookId),
    }),
  }),
  call: ({ ledger }: { ledger: Ledger }, asked, page) =>
    pageOfBusiness(ledger, asked.businessId, ledger.listNotifications({ ...asked, page })),
  // The customer whose money it is has a label too. The body has the reference alone.
  row: z.object({
    ...listedNotification.shape,
    business_id: idText,
    label: customerFields.label,
  }),
  present: (row) => ({
    ...presentListedNotification(row, "operator"),
    business_id: row.businessId,
    label: row.label,
  }),
});

function webhookIn(given: string | undefined): AskedWebhook | undefined {
  if (given === undefined || given === "any") return given;
  return { id: requireId(given, "webhook_not_found") };
}

function idOrNone(given: string | undefined, code: Parameters<typeof requireId>[1]) {
  return given === undefined ? undefined : requireId(given, code);
}
