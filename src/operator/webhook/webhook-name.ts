import { requireId } from "../../domain/not-found.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";

/**
 * Any business's current webhook. @throws Fault `webhook_not_found` where the text cannot be an id
 */
export function requireWebhookName(webhookId: string): WebhookName {
  return { businessId: null, webhookId: requireId(webhookId, "webhook_not_found") };
}
