import type { WebhookRegistration } from "../domain/delivery/webhook-registration.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { type Page, type PageRequest, parsePageRequest } from "../domain/page.ts";
import { type Listed, presentPage } from "./present.ts";

type Owned = WebhookRegistration & { businessId: string };
type Name = { businessId: string | null; webhookId: string };

type ListLedger = { listWebhooks: (page: PageRequest) => Promise<Page<Owned>> };
type ChangeLedger = {
  changeWebhook: (name: Name, change: { isActive: boolean }) => Promise<WebhookRegistration>;
};
type RedeliverLedger = {
  redeliver: (asked: {
    businessId: string | null;
    notificationId: string;
  }) => Promise<{ deliveryId: string }>;
};

/** Every current webhook with its health, newest first. @throws Fault `invalid_request` */
export async function listWebhooks(
  ledger: ListLedger,
  input: { limit?: number; cursor?: string },
): Promise<Listed<ReturnType<typeof presentWebhook> & { business_id: string }>> {
  const page = await ledger.listWebhooks(parsePageRequest(input));
  return presentPage(page, (webhook) => ({
    ...presentWebhook(webhook),
    business_id: webhook.businessId,
  }));
}

/** Enables a webhook, whose held deliveries are then due, or disables it. @throws Fault `webhook_not_found` */
export async function switchWebhook(ledger: ChangeLedger, webhookId: string, isActive: boolean) {
  if (!isId(webhookId)) throw notFound("webhook_not_found");
  return presentWebhook(await ledger.changeWebhook({ businessId: null, webhookId }, { isActive }));
}

/** @throws Fault `notification_not_found`, `webhook_inactive`, `delivery_in_flight` */
export async function redeliverNotification(ledger: RedeliverLedger, notificationId: string) {
  if (!isId(notificationId)) throw notFound("notification_not_found");
  const { deliveryId } = await ledger.redeliver({ businessId: null, notificationId });
  return { id: notificationId, delivery_id: deliveryId };
}

function presentWebhook(webhook: WebhookRegistration) {
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
