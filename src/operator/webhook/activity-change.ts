import { z } from "zod";
import type { WebhookName, WebhookRegistration } from "../../domain/webhook/registration.ts";
import { presentWebhookFields, webhookFields } from "../../schema/webhook.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  changeWebhook: (name: WebhookName, change: { isActive: boolean }) => Promise<WebhookRegistration>;
};

/** A verb that decides whether one webhook is notified, and answers how it is then. Safe to repeat. */
export function defineActivityChange(spec: {
  name: "enable" | "disable";
  isActive: boolean;
  summary: string;
  help: string;
}) {
  const { name, isActive, summary, help } = spec;
  const change = { isActive };
  return defineChange({
    noun: "webhook",
    http: {
      method: "POST",
      path: `/webhooks/:id/${name}`,
      summary,
      input: ({ params }) => ({ id: params.id }),
    },
    cli: { name, help, examples: [`webhook ${name} 018f…`], takes: { id: argument("<id>") } },
    check: ({ id }: { id: string }) => requireWebhookName(id),
    call: ({ ledger }: { ledger: Ledger }, webhook) => ledger.changeWebhook(webhook, change),
    audit: { action: "webhook.change", describe: ({ id }) => ({ subject: id, details: change }) },
    answer: z.object(webhookFields),
    present: presentWebhookFields,
  });
}
