import { z } from "zod";
import type { WebhookRegistration } from "../domain/webhook/registration.ts";
import { count, idText, timeText } from "./answers.ts";

/** A webhook with its health, as its business and an operator see it. */
export const webhookFields = {
  id: idText,
  url: z.string(),
  is_active: z.boolean(),
  created_at: timeText,
  last_success_at: timeText.nullable(),
  consecutive_failures: count,
  disabled_at: timeText.nullable(),
  disabled_reason: z.string().nullable(),
};

/** The same as one object. */
export const shownWebhook = z.object(webhookFields).meta({ id: "WebhookHealth" });

export function presentWebhookFields(webhook: WebhookRegistration) {
  return {
    id: webhook.id,
    url: webhook.url,
    is_active: webhook.isActive,
    created_at: webhook.createdAt.toISOString(),
    last_success_at: webhook.lastSuccessAt?.toISOString() ?? null,
    consecutive_failures: webhook.consecutiveFailures,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
  } satisfies z.output<z.ZodObject<typeof webhookFields>>;
}
