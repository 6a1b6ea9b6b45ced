import { z } from "zod";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { WebhookRegistration } from "../../domain/webhook/registration.ts";
import { idText } from "../../schema/answers.ts";
import { presentWebhookFields, webhookFields } from "../../schema/webhook.ts";
import { defineFullList } from "../define-list.ts";

type Owned = WebhookRegistration & { businessId: string };

type Ledger = { listWebhooks: (page: PageRequest) => Promise<Page<Owned>> };

/** Every business's current webhook, newest first. */
export const webhookList = defineFullList({
  noun: "webhook",
  path: "/webhooks",
  what: "List the current webhooks with their health",
  examples: ["webhook list --json"],
  call: (ledger: Ledger, page) => ledger.listWebhooks(page),
  row: z.object({ ...webhookFields, business_id: idText }),
  present: (webhook) => ({ ...presentWebhookFields(webhook), business_id: webhook.businessId }),
});
