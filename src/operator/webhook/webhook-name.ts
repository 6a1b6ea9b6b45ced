import { requireId } from "../../domain/not-found.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";

/**
 * Names the current webhook with this id, of any business.
 * @throws Fault `webhook_not_found` if the text cannot be an id
 */
export function requireWebhookName(webhookId: string): WebhookName {
  return { businessId: null, webhookId: requireId(webhookId, "webhook_not_found") };
}
