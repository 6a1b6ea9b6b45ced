import { z } from "zod";
import type { AuditedFor } from "../../../domain/business/audit.ts";
import type { BusinessChanges, BusinessLedger } from "../../../domain/business/business-ledger.ts";
import type { NotificationContent } from "../../../domain/delivery/notification.ts";
import type {
  FullNotification,
  NotificationDetail,
  RecordedAttempt,
  SentRequest,
} from "../../../domain/delivery/recorded-notification.ts";
import { inSlices, mapSliced } from "../../../domain/in-slices.ts";
import { requireId } from "../../../domain/not-found.ts";
import { dataAnswer, dataBody, idText, listAnswer, listBody } from "../../../schema/answers.ts";
import { idField, pageFields, pageOf } from "../../../schema/fields.ts";
import {
  fullNotification,
  listedNotification,
  notificationFilterFields,
  notificationFilterOf,
  notificationIncludeField,
  notificationWithRequests,
  presentFullNotification,
  presentListedNotification,
  presentNotificationIncluding,
  presentNotificationWithRequests,
} from "../../../schema/recorded-notification.ts";
import { answersWithData } from "../../answers/answers.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { actorOf, businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import {
  aboutExports,
  type Columns,
  type ExportDeps,
  exportTypeOf,
  refuseForExport,
} from "./exports.ts";

export type NotificationsDeps = Pick<BusinessLedger, "readNotification"> &
  ListDeps &
  ExportDeps & {
    audited: AuditedFor<Pick<BusinessChanges, "redeliver">>;
    /** The request of an attempt. Null: the record does not say how it was made. */
    makeAgain: (of: NotificationDetail, attempt: RecordedAttempt) => SentRequest | null;
  };

const shownNotification = listedNotification
  .extend(fullNotification.pick({ fee: true, usd_value: true, label: true }).partial().shape)
  .meta({ id: "Notification" });

const redelivery = z.object({ id: idText, delivery_id: idText });

const query = z.strictObject({
  ...notificationFilterFields,
  include: notificationIncludeField,
  ...pageFields,
});

type Shown = z.output<typeof fullNotification>;

/** The columns of CSV: those of the list, each field of the body's data, and the body as JSON. */
const columns: Columns<Shown> = [
  ["id", ({ id }) => id],
  ["event", ({ event }) => event],
  ["status", ({ status }) => status],
  ["transaction_id", ({ transaction_id: id }) => id],
  ["created_at", ({ created_at: at }) => at],
  ["delivered_at", ({ delivered_at: at }) => at],
  ["attempt_count", ({ attempt_count: attempts }) => attempts],
  ["webhook_id", ({ webhook_id: id }) => id],
  ["last_url", ({ last_attempt: last }) => last?.url],
  ["last_status_code", ({ last_attempt: last }) => last?.status_code],
  ["last_error", ({ last_attempt: last }) => last?.error],
  ["state", (shown) => dataIn(shown, "status")],
  ["type", (shown) => dataIn(shown, "type")],
  ["amount", (shown) => dataIn(shown, "amount")],
  ["asset", (shown) => dataIn(shown, "asset")],
  ["blockchain", (shown) => dataIn(shown, "blockchain")],
  ["wallet_id", (shown) => dataIn(shown, "walletId")],
  ["reference", (shown) => dataIn(shown, "reference")],
  ["tx_hash", (shown) => dataIn(shown, "txHash")],
  ["from_address", (shown) => dataIn(shown, "fromAddress")],
  ["to_address", (shown) => dataIn(shown, "toAddress")],
  ["block_number", (shown) => dataIn(shown, "blockNumber")],
  ["label", ({ label }) => label],
  ["fee", ({ fee }) => fee?.amount],
  ["fee_asset", ({ fee }) => fee?.asset],
  ["usd_value", ({ usd_value: value }) => value],
  ["payload", ({ payload }) => JSON.stringify(payload)],
];

/** A field of the body's data. Null: this body does not have it. */
function dataIn({ payload }: Shown, name: keyof NotificationContent["data"]) {
  const { data } = payload;
  const value: unknown = typeof data === "object" && data !== null ? Reflect.get(data, name) : null;
  return typeof value === "string" || typeof value === "number" ? value : null;
}

const tags = ["Notifications"];
const params = z.strictObject({ id: z.string() });

export function notificationsRoutes(web: Web, deps: NotificationsDeps): void {
  const list = {
    tags,
    summary: "List the notifications",
    description: `Newest first. \`from\` is included, \`to\` is not; both are times of writing. ${aboutExports} Each row has every field of \`include\`.`,
    querystring: query,
    response: { 200: listAnswer(shownNotification) },
    mayBeStale: true,
  };
  web.get("/notifications", { schema: list }, async (request, reply) => {
    const filter = notificationFilterOf(request.query);
    const asked = { businessId: businessOf(request), filter, page: pageOf(request.query) };
    const { include } = request.query;
    const type = exportTypeOf(request);
    if (type !== null) {
      refuseForExport({ include: include !== undefined });
      const idOf = filter.sort === "amount" ? (row: FullNotification) => row.id : undefined;
      const list = { after: asked.page, idOf, present: presentFullNotification, columns };
      return deps.exports.send(request, reply, {
        ...list,
        type,
        read: (ledger, page) => ledger.readFullNotifications({ ...asked, page }),
      });
    }
    if (include === undefined) {
      const page = await listed(reply, deps, (ledger) => ledger.readNotifications(asked));
      return listBody(page, (row) => presentListedNotification(row, "business"));
    }
    const page = await listed(reply, deps, (ledger) => ledger.readFullNotifications(asked));
    return listBody(page, (row) => presentNotificationIncluding(row, include));
  });

  const one = {
    tags,
    summary: "One notification with every attempt",
    params,
    ...answersWithData(notificationWithRequests),
  };
  web.get("/notifications/:id", { schema: one }, async (request) => {
    const notificationId = requireId(request.params.id, "notification_not_found");
    const detail = await deps.readNotification({ businessId: businessOf(request), notificationId });
    // In slices: each attempt is decrypted and signed, and redeliveries may make very many.
    const making = mapSliced(detail.attemptLog, (attempt) => deps.makeAgain(detail, attempt));
    return dataBody(presentNotificationWithRequests(detail, await inSlices(making)));
  });

  const again = {
    tags,
    summary: "Deliver it once more: the same body and id, one attempt",
    params,
    querystring: z.strictObject({
      webhook_id: idField
        .optional()
        .meta({ description: "The id of the webhook that gets it. Left out: the first webhook." }),
    }),
    response: { 202: dataAnswer(redelivery) },
    refuses: ["webhook_not_found", "webhook_inactive", "delivery_in_flight"] as const,
  };
  web.post("/notifications/:id/redeliver", { schema: again }, async (request, reply) => {
    const id = requireId(request.params.id, "notification_not_found");
    const { webhook_id: webhookId } = request.query;
    const asked = { businessId: businessOf(request), notificationId: id, webhookId };
    const audited = deps.audited(actorOf(request));
    const { deliveryId } = await audited("notification.redeliver", async (ledger) => {
      const output = await ledger.redeliver(asked);
      return { output, entry: { subject: id, details: { ...output } } };
    });
    return reply.code(202).send(dataBody({ id, delivery_id: deliveryId }));
  });
}
