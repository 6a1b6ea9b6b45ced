import { z } from "zod";
import type { OutboxReport } from "../../domain/business/outbox.ts";
import { count, idText, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";

type Ports = { ledger: { readOutboxReport: () => Promise<OutboxReport> } };

const shown = z.object({
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
});

/**
 * Shows the deliveries that wait, by business, and the answers of receivers in the last day. At
 * most a hundred of each.
 */
export const notificationOutbox = defineReading({
  noun: "notification",
  http: {
    method: "GET",
    path: "/outbox",
    summary: "What is still to be delivered, by business, and how receivers answer",
    description:
      "Businesses by what has waited longest; receivers of the last day's attempts, the slowest first. At most a hundred of each.",
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
  present: ({ businesses, receivers }) => ({
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
  }),
});
