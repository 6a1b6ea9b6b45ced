import { z } from "zod";
import type { OutboxReport } from "../../domain/business/outbox.ts";
import { count, idText, timeText } from "../../schema/answers.ts";
import { attemptErrorText } from "../../schema/recorded-notification.ts";
import { defineReading } from "../define-verb.ts";

type Ports = { ledger: { readOutboxReport: () => Promise<OutboxReport> } };

const shown = z.object({
  since: timeText.meta({
    description:
      "The beginning of all lists but `businesses`. It is a day ago, or later where the day had more than 20,000 attempts.",
  }),
  businesses: z.array(
    z.object({
      business_id: idText,
      name: z.string(),
      waiting: count,
      held: count,
      oldest_waiting_at: timeText.nullable(),
    }),
  ),
  receivers: z.array(
    z.object({
      business_id: idText,
      webhook_id: idText,
      url: z.string(),
      attempts: count,
      failed: count,
      p50_ms: count,
      p95_ms: count,
    }),
  ),
  failures: z.array(
    z.object({
      business_id: idText,
      webhook_id: idText,
      url: z.string(),
      status_code: z.int().nullable(),
      error: attemptErrorText,
      attempts: count,
      first_at: timeText,
      last_at: timeText,
      notification_id: idText.meta({
        description: "The id of the notification of the last of these attempts.",
      }),
      response: z.string().nullable().meta({
        description: "The last of these answers. Null: there was none, or it was not kept.",
      }),
    }),
  ),
  hours: z
    .array(z.object({ at: timeText, attempts: count, failed: count, p50_ms: count, p95_ms: count }))
    .meta({ description: "The attempts of each hour, the oldest first." }),
  queue: z.array(z.object({ at: timeText, waiting: count, held: count })).meta({
    description:
      "The most that waited in each ten minutes of the last day, the oldest first. Ten minutes in which nobody looked are left out.",
  }),
});

/**
 * Shows the waiting deliveries by business, the answers of receivers in the last day, and their
 * failures by cause. At most a hundred of each, from the newest 20,000 attempts.
 */
export const notificationOutbox = defineReading({
  noun: "notification",
  http: {
    method: "GET",
    path: "/outbox",
    summary: "What is still to be delivered, by business, and how receivers answer",
    description:
      "Businesses, the longest wait first. Receivers of the last day's attempts, the slowest first. Their failures by cause, the most frequent first. At most a hundred of each, and only of the newest 20,000 attempts: `since` says from when they are.",
    input: () => ({}),
  },
  cli: {
    name: "outbox",
    help: "Show what is still to be delivered, by business, and how receivers answer.",
    examples: ["notification outbox", "notification outbox --json"],
    takes: {},
  },
  check: (input: object) => input,
  call: ({ ledger }: Ports) => ledger.readOutboxReport(),
  answer: shown,
  present: ({ since, businesses, receivers, failures, hours, queue }) => ({
    since: since.toISOString(),
    businesses: businesses.map(({ businessId, name, waiting, held, oldestWaitingAt }) => ({
      business_id: businessId,
      name,
      waiting,
      held,
      oldest_waiting_at: oldestWaitingAt?.toISOString() ?? null,
    })),
    receivers: receivers.map(({ businessId, webhookId, url, attempts, failed, p50Ms, p95Ms }) => ({
      business_id: businessId,
      webhook_id: webhookId,
      url,
      attempts,
      failed,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
    })),
    failures: failures.map((failed) => ({
      business_id: failed.businessId,
      webhook_id: failed.webhookId,
      url: failed.url,
      status_code: failed.statusCode,
      error: failed.errorKind,
      attempts: failed.attempts,
      first_at: failed.firstAt.toISOString(),
      last_at: failed.lastAt.toISOString(),
      notification_id: failed.notificationId,
      response: failed.response,
    })),
    hours: hours.map(({ at, attempts, failed, p50Ms, p95Ms }) => ({
      at: at.toISOString(),
      attempts,
      failed,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
    })),
    queue: queue.map(({ at, waiting, held }) => ({ at: at.toISOString(), waiting, held })),
  }),
});
