import { z } from "zod";
import {
  alertKindNames,
  alertKinds,
  runbookOf,
  severities,
  worstFirst,
} from "../domain/alerts/alert-kinds.ts";
import type { HoldingCondition } from "../domain/alerts/conditions.ts";
import { idText, namedValues, timeText } from "./answers.ts";

/** A condition that an operator has to know about. It holds now. */
export const shownAlert = z
  .object({
    kind: z.enum(alertKindNames),
    severity: z.enum(severities),
    summary: z.string().meta({
      examples: ["ethereum is 6 min behind: deposits are seen that much later."],
    }),
    since: timeText.nullable().meta({
      description: "When the condition began to hold. Null: nobody knows.",
    }),
    chain: z
      .string()
      .nullable()
      .meta({ examples: ["ethereum"] }),
    endpoint: z.string().nullable(),
    asset: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    values: namedValues.meta({
      description: "The values in `summary`, by name, for a text of your own.",
      examples: [{ lag_seconds: 360 }],
    }),
    webhooks: z
      .array(
        z
          .object({
            webhook_id: idText,
            url: z.string(),
            business_id: idText,
            business_name: z.string().meta({ examples: ["Example Ltd"] }),
            since: timeText.nullable(),
          })
          .meta({ id: "TroubledWebhook" }),
      )
      .meta({
        description:
          "For an alert about webhooks, the webhooks: at most fifty, those in trouble for longest first.",
      }),
    runbook: z.string().meta({
      description: "The section of the runbooks that says what to do.",
      examples: [runbookOf("ChainbellChainBehind")],
    }),
  })
  .meta({ id: "Alert" });

/** Presents conditions, the worst first. */
export function presentAlerts(found: readonly HoldingCondition[]): z.output<typeof shownAlert>[] {
  return worstFirst(found).map(({ kind, summary, sinceMs, about, values, webhooks }) => ({
    kind,
    severity: alertKinds[kind].severity,
    summary,
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    ...about,
    values: { ...values },
    webhooks: webhooks.map(({ webhookId, url, businessId, businessName, since }) => ({
      webhook_id: webhookId,
      url,
      business_id: businessId,
      business_name: businessName,
      since: since?.toISOString() ?? null,
    })),
    runbook: runbookOf(kind),
  }));
}
