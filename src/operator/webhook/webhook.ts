import { z } from "zod";
import type {
  WebhookName,
  WebhookRegistration,
} from "../../domain/delivery/webhook-registration.ts";
import { requireId } from "../../domain/not-found.ts";
import { count, idText, timeText } from "../../schema/answers.ts";

/** A webhook with its health, as an operator sees it. */
export const shownWebhook = z.object({
  id: idText,
  url: z.string(),
  is_active: z.boolean(),
  created_at: timeText,
  last_success_at: timeText.nullable(),
  consecutive_failures: count,
  disabled_at: timeText.nullable(),
  disabled_reason: z.string().nullable(),
});

export function presentWebhook(webhook: WebhookRegistration): z.output<typeof shownWebhook> {
  return {
    id: webhook.id,
    url: webhook.url,
    is_active: webhook.isActive,
    created_at: webhook.createdAt.toISOString(),
    last_success_at: webhook.lastSuccessAt?.toISOString() ?? null,
    consecutive_failures: webhook.consecutiveFailures,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
  };
}

/** Any business's current webhook. @throws Fault `webhook_not_found` where the text cannot be an id */
export function requireWebhook(webhookId: string): WebhookName {
  return { businessId: null, webhookId: requireId(webhookId, "webhook_not_found") };
}
