import type { WebhookName, WebhookRegistration } from "../../domain/webhook/registration.ts";
import { presentWebhookFields, shownWebhook } from "../../schema/webhook.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  changeWebhook: (name: WebhookName, change: { isActive: boolean }) => Promise<WebhookRegistration>;
};

/**
 * Notifies a webhook again: its held deliveries are due at once, and its health starts anew. Safe
 * to repeat.
 * @throws Fault `webhook_not_found`
 */
export const webhookEnable = activityVerb("enable", true, {
  summary: "Notify it again; held notifications are due at once",
  help: "Notify a webhook again. Held notifications are due at once.",
});

/**
 * Stops notifying a webhook: its deliveries are held. Safe to repeat.
 * @throws Fault `webhook_not_found`
 */
export const webhookDisable = activityVerb("disable", false, {
  summary: "Notify it no longer; its events are held",
  help: "Notify a webhook no longer; its events are held.",
});

/** A verb that turns one webhook on or off, and returns the webhook as it is then. */
function activityVerb(
  name: "enable" | "disable",
  isActive: boolean,
  { summary, help }: { summary: string; help: string },
) {
  const change = { isActive };
  return defineChangeOfOne({
    noun: "webhook",
    name,
    param: "id",
    http: { method: "POST", path: `/webhooks/:id/${name}`, summary },
    help,
    check: requireWebhookName,
    call: (ledger: Ledger, webhook) => ledger.changeWebhook(webhook, change),
    action: "webhook.change",
    describe: ({ id }) => ({ subject: id, details: change }),
    answer: shownWebhook,
    present: presentWebhookFields,
  });
}
