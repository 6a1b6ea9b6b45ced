import { z } from "zod";
import { unaskedWords } from "../domain/delivery/notification.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import { isNameText, nameTextRule } from "../domain/text.ts";
import { filterWords } from "../domain/webhook/filter.ts";
import {
  fastestRate,
  inactiveReasons,
  type OrderAsked,
  type WebhookRegistration,
} from "../domain/webhook/registration.ts";
import { count, idText, timeText } from "./answers.ts";
import { given } from "./fields.ts";
import { presentFilter, shownFilter } from "./webhook-filter.ts";

const rateRule = `expected a whole number from 1 to ${fastestRate}, or null`;

/** The rate in a request. */
export const rateField = z
  .int(rateRule)
  .min(1, rateRule)
  .max(fastestRate, rateRule)
  .nullable()
  .optional()
  .meta({
    description: "The most attempts a second at this webhook, on average. Null: not limited.",
  });

const purpose = "Credits of the shop";

/** The description in a request. */
export const descriptionField = z
  .string(nameTextRule)
  .refine(isNameText, nameTextRule)
  .nullable()
  .optional()
  .meta({
    description: "The purpose of the webhook, in your own words. Null: none.",
    examples: [purpose],
  });

/** The order in a request. */
export const orderFields = {
  order: z.enum(["none", "wallet"], "expected none or wallet").optional().meta({
    description:
      "The order of notifications. `none`: no order. `wallet`: each wallet has one delivery at a time, in the order of the ledger.",
  }),
  on_exhausted: z.enum(["continue", "hold"], "expected continue or hold").optional().meta({
    description:
      "The step after a notification is given up, with an order. `continue`: the next one of its wallet is sent. `hold`: the wallet waits until you act.",
  }),
};

/** The same order for the ledger. A field that is left out does not change. */
export function orderOf(body: z.output<z.ZodObject<typeof orderFields>>): OrderAsked {
  const { order, on_exhausted: onExhausted } = body;
  return given({
    isOrdered: order === undefined ? undefined : order === "wallet",
    holdsExhausted: onExhausted === undefined ? undefined : onExhausted === "hold",
  });
}

/** A webhook with its health, as its business and an operator see it. */
export const webhookFields = {
  id: idText,
  url: z.string(),
  description: z
    .string()
    .nullable()
    .meta({
      description:
        "The purpose of the webhook, in the words of its business. Null: the business gave none.",
      examples: [purpose],
    }),
  additional: z.boolean().meta({
    description:
      "True: it stands beside the first webhook, and a new registration never replaces it.",
  }),
  is_active: z.boolean(),
  created_at: timeText,
  last_success_at: timeText.nullable(),
  consecutive_failures: count,
  disabled_at: timeText.nullable(),
  disabled_reason: z
    .enum(keysOf(inactiveReasons))
    .nullable()
    .meta({ description: meaningsIn(inactiveReasons), examples: [null] }),
  rate: z.int().nullable().meta({
    description: "The most attempts a second at this webhook, on average. Null: not limited.",
  }),
  filter: shownFilter,
  wants: z.string().meta({
    description: "The notifications that the webhook gets, in words.",
    examples: ["transaction.deposit, of USDC, from 1000 USDC"],
  }),
  order: z.enum(["none", "wallet"]),
  on_exhausted: z.enum(["continue", "hold"]),
  circuit: z.enum(["closed", "open"]).meta({
    description:
      "`open`: 10 attempts in a row failed. Only one attempt is then made at `circuit_retry_at`, until one succeeds. `closed`: every due attempt is made.",
  }),
  circuit_opened_at: timeText.nullable(),
  circuit_retry_at: timeText.nullable(),
};

/** The same fields as one object. */
export const shownWebhook = z.object(webhookFields).meta({ id: "WebhookHealth" });

export function presentWebhookFields(webhook: WebhookRegistration) {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    additional: webhook.isAdditional,
    is_active: webhook.isActive,
    created_at: webhook.createdAt.toISOString(),
    last_success_at: webhook.lastSuccessAt?.toISOString() ?? null,
    consecutive_failures: webhook.consecutiveFailures,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
    rate: webhook.rate,
    filter: presentFilter(webhook.filter),
    wants: filterWords(webhook.filter, unaskedWords),
    order: webhook.isOrdered ? "wallet" : "none",
    on_exhausted: webhook.holdsExhausted ? "hold" : "continue",
    circuit: webhook.circuitOpenedAt === null ? "closed" : "open",
    circuit_opened_at: webhook.circuitOpenedAt?.toISOString() ?? null,
    circuit_retry_at: webhook.circuitRetryAt?.toISOString() ?? null,
  } satisfies z.output<z.ZodObject<typeof webhookFields>>;
}
