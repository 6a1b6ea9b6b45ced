import type { RouteOptions } from "fastify";
import { z } from "zod";
import {
  answer,
  answers,
  count,
  dataAnswer,
  deliveryStatusText,
  eventText,
  idText,
  listAnswer,
  timeText,
} from "../../answers/answers.ts";
import type { Web } from "../../http/web.ts";

// What the webhook and notification routes answer: described here, beside the routes themselves.

const registration = {
  id: idText,
  url: z.string(),
  event: z.literal("*"),
  is_active: z.boolean(),
  created_at: timeText,
};

const health = {
  last_success_at: timeText.nullable(),
  consecutive_failures: count,
  disabled_at: timeText.nullable(),
  disabled_reason: z.string().nullable(),
  overlap_ends_at: timeText.nullable(),
};

const webhook = z.object({ ...registration, ...health }).meta({ id: "Webhook" });

const secret = z
  .string()
  .regex(/^whsec_/)
  .meta({ description: "Shown here and never again." });

const overlap = { id: idText, overlap_ends_at: timeText.nullable() };

const outcome = z.object({
  notification_id: idText,
  delivered: z.boolean(),
  latency_ms: count,
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  response: z.string().nullable(),
});

const notification = {
  id: idText,
  event: eventText,
  status: deliveryStatusText,
  transaction_id: idText.nullable(),
  created_at: timeText,
  delivered_at: timeText.nullable(),
  attempt_count: count,
  payload: z.record(z.string(), z.unknown()),
};

const attempt = z.object({
  number: count,
  at: timeText,
  latency_ms: count,
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  response: z.string().nullable(),
  next_attempt_at: timeText.nullable(),
});

const { event: _, ...adminRegistration } = registration;
const { overlap_ends_at: __, ...adminHealth } = health;
const adminWebhook = z.object({ ...adminRegistration, ...adminHealth });
const redelivery = z.object({ id: idText, delivery_id: idText });

type Described = { summary: string; response: Record<string, z.ZodType> };

const described: Record<string, Described> = {
  "POST /webhooks": {
    summary: "Register the webhook; another URL replaces it",
    response: answers({
      200: dataAnswer(z.object(registration)),
      201: dataAnswer(z.object({ ...registration, secret })),
    }),
  },
  "GET /webhooks": {
    summary: "The registration and its health",
    response: answers({ 200: dataAnswer(webhook) }),
  },
  "PATCH /webhooks/:id": {
    summary: "Change the URL, or whether it is notified; id and secret stay",
    response: answers({ 200: dataAnswer(webhook) }),
  },
  "DELETE /webhooks/:id": {
    summary: "End it; what waits is cancelled",
    response: answers({ 200: dataAnswer(z.object({ id: idText, cancelled: count })) }),
  },
  "POST /webhooks/:id/rotate-secret": {
    summary: "A new secret, shown once; both hold while they overlap",
    response: answers({ 200: dataAnswer(z.object({ ...overlap, secret })) }),
  },
  "POST /webhooks/:id/rotate-secret/finish": {
    summary: "End the overlap early",
    response: answers({ 200: dataAnswer(z.object(overlap)) }),
  },
  "POST /webhooks/:id/test": {
    summary: "Notify it now with webhook.test; answers what came of it",
    response: answers({ 200: dataAnswer(outcome) }),
  },
  "POST /webhooks/:id/recover": {
    summary: "Queue again what was not heard",
    response: answers({ 202: answer({ queued: count, data: z.object({ queued: count }) }) }),
  },
  "GET /notifications": {
    summary: "List what was told",
    response: answers({ 200: listAnswer(z.object(notification).meta({ id: "Notification" })) }),
  },
  "GET /notifications/:id": {
    summary: "One notification with every attempt",
    response: answers({
      200: dataAnswer(z.object({ ...notification, attempts: z.array(attempt) })),
    }),
  },
  "POST /notifications/:id/redeliver": {
    summary: "Deliver it once more: the same body and id, one attempt",
    response: answers({ 202: dataAnswer(redelivery) }),
  },
  "GET /admin/webhooks": {
    summary: "List the current webhooks with their health",
    response: answers({
      200: listAnswer(z.object({ ...adminWebhook.shape, business_id: idText })),
    }),
  },
  "POST /admin/webhooks/:id/enable": {
    summary: "Notify it again; what was held is due at once",
    response: answers({ 200: dataAnswer(adminWebhook) }),
  },
  "POST /admin/webhooks/:id/disable": {
    summary: "Notify it no more; its events are held",
    response: answers({ 200: dataAnswer(adminWebhook) }),
  },
  "POST /admin/notifications/:id/redeliver": {
    summary: "Deliver a notification once more",
    response: answers({ 202: dataAnswer(redelivery) }),
  },
};

/** Adds to each of these routes, as it is registered, what it answers. */
export function describeWebhookAnswers(web: Web): void {
  web.addHook("onRoute", (route: RouteOptions) => {
    const about = described[`${String(route.method)} ${route.url}`];
    if (about === undefined) return;
    const isAdmin = route.url.startsWith("/admin");
    const noun = route.url.includes("notifications") ? "notifications" : "webhooks";
    const tag = isAdmin
      ? `Administration: ${noun}`
      : noun === "webhooks"
        ? "Webhook"
        : "Notifications";
    route.schema = { ...route.schema, ...about, tags: [tag] } as NonNullable<typeof route.schema>;
  });
}
