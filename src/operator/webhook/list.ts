import { z } from "zod";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { WebhookRegistration } from "../../domain/webhook/registration.ts";
import { idText } from "../../schema/answers.ts";
import { idField } from "../../schema/fields.ts";
import { presentWebhookFields, webhookFields } from "../../schema/webhook.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { optional, text } from "../parameter.ts";

type Owned = WebhookRegistration & { businessId: string };

type Asked = { businessId: string | null; page: PageRequest };

type Ledger = BusinessReader & { listWebhooks: (asked: Asked) => Promise<Page<Owned>> };

/** Lists the current webhooks of all businesses, or of one, newest first. */
export const webhookList = defineList({
  noun: "webhook",
  http: {
    path: "/webhooks",
    refuses: ["business_not_found"],
    summary: "List the current webhooks with their health",
    query: { business_id: idField.optional() },
    filter: ({ query }) => ({ business: query.business_id }),
  },
  cli: {
    name: "list",
    help: "List the current webhooks with their health, newest first.",
    examples: ["webhook list --json", "webhook list --business 018f…"],
    takes: { business: optional("--business <id>", text, "of this business alone") },
  },
  check: ({ business }: { business: string | undefined }) =>
    business === undefined ? null : requireId(business, "business_not_found"),
  call: ({ ledger }: { ledger: Ledger }, businessId, page) =>
    pageOfBusiness(ledger, businessId, ledger.listWebhooks({ businessId, page })),
  row: z.object({ ...webhookFields, business_id: idText }),
  present: (webhook) => ({ ...presentWebhookFields(webhook), business_id: webhook.businessId }),
});
