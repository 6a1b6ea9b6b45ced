import { z } from "zod";
import type { WebhookName, WebhookRegistration } from "../../domain/webhook/registration.ts";
import { presentWebhookFields, webhookFields } from "../../schema/webhook.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  changeWebhook: (name: WebhookName, change: { isActive: boolean }) => Promise<WebhookRegistration>;
};

const change = { isActive: false };

/** Notifies a webhook no longer: its deliveries are held. Safe to repeat. @throws Fault `webhook_not_found` */
export const webhookDisable = defineChange({
  noun: "webhook",
  http: {
    method: "POST",
    path: "/webhooks/:id/disable",
    summary: "Notify it no longer; its events are held",
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "disable",
    help: "Notify a webhook no longer; its events are held.",
    examples: ["webhook disable 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireWebhookName(id),
  call: ({ ledger }: { ledger: Ledger }, name) => ledger.changeWebhook(name, change),
  audit: { action: "webhook.change", describe: ({ id }) => ({ subject: id, details: change }) },
  answer: z.object(webhookFields),
  present: presentWebhookFields,
});
