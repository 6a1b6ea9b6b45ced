import { z } from "zod";
import type { WebhookName, WebhookRegistration } from "../../domain/webhook/registration.ts";
import { presentWebhookFields, webhookFields } from "../../schema/webhook.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  changeWebhook: (name: WebhookName, change: { isActive: boolean }) => Promise<WebhookRegistration>;
};

const change = { isActive: true };

/** Notifies a webhook again: its held deliveries are due, and its health begins anew. Safe to repeat. @throws Fault `webhook_not_found` */
export const webhookEnable = defineChange({
  noun: "webhook",
  http: {
    method: "POST",
    path: "/webhooks/:id/enable",
    summary: "Notify it again; what was held is due at once",
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "enable",
    help: "Notify a webhook again; what was held for it is due at once.",
    examples: ["webhook enable 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireWebhookName(id),
  call: ({ ledger }: { ledger: Ledger }, name) => ledger.changeWebhook(name, change),
  audit: { action: "webhook.change", describe: ({ id }) => ({ subject: id, details: change }) },
  answer: z.object(webhookFields),
  present: presentWebhookFields,
});
