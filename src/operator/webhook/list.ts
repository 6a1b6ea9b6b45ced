import { z } from "zod";
import type { WebhookRegistration } from "../../domain/delivery/webhook-registration.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { idText } from "../../schema/answers.ts";
import { defineList } from "../define-list.ts";
import { presentWebhook, shownWebhook } from "./webhook.ts";

type Owned = WebhookRegistration & { businessId: string };

type Ledger = { listWebhooks: (page: PageRequest) => Promise<Page<Owned>> };

/** Every business's current webhook, newest first. */
export const webhookList = defineList({
  noun: "webhook",
  http: {
    path: "/webhooks",
    summary: "List the current webhooks with their health",
    filter: () => ({}),
  },
  cli: {
    name: "list",
    help: "List the current webhooks with their health, newest first.",
    examples: ["webhook list --json"],
    takes: {},
  },
  check: (filter: object) => filter,
  call: ({ ledger }: { ledger: Ledger }, _, page) => ledger.listWebhooks(page),
  row: z.object({ ...shownWebhook.shape, business_id: idText }),
  present: (webhook) => ({ ...presentWebhook(webhook), business_id: webhook.businessId }),
});
