import { z } from "zod";
import type { DeliveryStatus } from "../../../domain/delivery/delivery.ts";
import { isId } from "../../../domain/id.ts";
import { notFound } from "../../../domain/not-found.ts";
import type { Page, PageRequest } from "../../../domain/page.ts";
import { idField, pageFields, pageOf } from "../../answers/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

type Notification = {
  id: string;
  event: string;
  transactionId: string | null;
  body: string;
  createdAt: Date;
  status: DeliveryStatus;
  attempts: number;
  deliveredAt: Date | null;
};

type Attempt = {
  number: number;
  startedAt: Date;
  latencyMs: number;
  statusCode: number | null;
  errorKind: string | null;
  response: string | null;
  isWithheld: boolean;
  nextDueAt: Date | null;
};

export type NotificationsDeps = {
  readNotifications: (asked: {
    businessId: string;
    transactionId: string | null;
    page: PageRequest;
  }) => Promise<Page<Notification>>;
  readNotification: (asked: {
    businessId: string;
    notificationId: string;
  }) => Promise<Notification & { attemptLog: Attempt[] }>;
  redeliver: (asked: {
    businessId: string;
    notificationId: string;
  }) => Promise<{ deliveryId: string }>;
};

const noQuery = z.strictObject({});
const params = z.strictObject({ id: z.string() });
const query = z.strictObject({ transaction_id: idField.optional(), ...pageFields });

export function notificationsRoutes(web: Web, deps: NotificationsDeps): void {
  web.get("/notifications", { schema: { querystring: query } }, async (request) => {
    const transactionId = request.query.transaction_id ?? null;
    const asked = { businessId: businessOf(request), transactionId, page: pageOf(request.query) };
    const { rows, nextCursor } = await deps.readNotifications(asked);
    return { success: true, data: rows.map(presentNotification), next_cursor: nextCursor };
  });

  const schema = { params, querystring: noQuery };
  web.get("/notifications/:id", { schema }, async (request) => {
    const notificationId = requireNotificationId(request.params.id);
    const detail = await deps.readNotification({ businessId: businessOf(request), notificationId });
    return {
      success: true,
      data: { ...presentNotification(detail), attempts: detail.attemptLog.map(presentAttempt) },
    };
  });

  web.post("/notifications/:id/redeliver", { schema }, async (request, reply) => {
    const notificationId = requireNotificationId(request.params.id);
    const { deliveryId } = await deps.redeliver({
      businessId: businessOf(request),
      notificationId,
    });
    return reply
      .code(202)
      .send({ success: true, data: { id: notificationId, delivery_id: deliveryId } });
  });
}

function requireNotificationId(id: string): string {
  if (!isId(id)) throw notFound("notification_not_found");
  return id;
}

function presentNotification(notification: Notification) {
  return {
    id: notification.id,
    event: notification.event,
    status: notification.status,
    transaction_id: notification.transactionId,
    created_at: notification.createdAt.toISOString(),
    delivered_at: notification.deliveredAt?.toISOString() ?? null,
    attempt_count: notification.attempts,
    payload: JSON.parse(notification.body) as unknown,
  };
}

/** What a target answers that only the operator's allow-list opened is not shown: neither text nor status. */
function presentAttempt(attempt: Attempt) {
  return {
    number: attempt.number,
    at: attempt.startedAt.toISOString(),
    latency_ms: attempt.latencyMs,
    status_code: attempt.isWithheld ? null : attempt.statusCode,
    error: attempt.isWithheld ? "withheld" : attempt.errorKind,
    response: attempt.response,
    next_attempt_at: attempt.nextDueAt?.toISOString() ?? null,
  };
}
