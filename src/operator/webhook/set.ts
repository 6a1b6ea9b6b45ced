import { z } from "zod";
import {
  fastestRate,
  type WebhookChange,
  type WebhookName,
  type WebhookRegistration,
} from "../../domain/webhook/registration.ts";
import { given } from "../../schema/fields.ts";
import { presentWebhookFields, rateField, shownWebhook } from "../../schema/webhook.ts";
import { countOr, requireCountOrNone } from "../count-or-none.ts";
import { defineChange } from "../define-verb.ts";
import { argument, optional } from "../parameter.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  changeWebhook: (
    name: WebhookName,
    change: Pick<WebhookChange, "rate">,
  ) => Promise<WebhookRegistration>;
};

type Input = { id: string; rate: number | null | undefined };

/**
 * Changes only the settings that are given. Safe to repeat.
 * @throws Fault `webhook_not_found`, `invalid_request`
 */
export const webhookSet = defineChange({
  noun: "webhook",
  http: {
    method: "PATCH",
    path: "/webhooks/:id",
    summary: "Change the settings of a webhook; omitted ones stay",
    body: z.strictObject({ rate: rateField }),
    input: ({ params, body }) => ({ id: params.id, rate: body.rate }),
  },
  cli: {
    name: "set",
    help: "Change the settings of a webhook. Omitted settings stay.",
    examples: ["webhook set 018f… --rate 5", "webhook set 018f… --rate none"],
    takes: {
      id: argument("<id>", "the id of the webhook"),
      rate: optional("--rate <n>", countOr("none"), "attempts a second at most, or `none`"),
    },
  },
  check: ({ id, rate }: Input) => ({
    name: requireWebhookName(id),
    change: given({ rate: requireCountOrNone(rate, { field: "rate", most: fastestRate }) }),
  }),
  call: (ledger: Ledger, { name, change }) => ledger.changeWebhook(name, change),
  audit: {
    action: "webhook.change",
    describe: ({ id }, { change }) => ({ subject: id, details: change }),
  },
  answer: shownWebhook,
  present: presentWebhookFields,
});
