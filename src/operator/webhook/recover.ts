import { z } from "zod";
import { type RecoveryAsked, recoveredStatuses } from "../../domain/delivery/delivery.ts";
import { Fault } from "../../domain/fault.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { count, idText } from "../../schema/answers.ts";
import { given } from "../../schema/fields.ts";
import { recoveryFields } from "../../schema/recovery.ts";
import { defineChange } from "../define-verb.ts";
import { argument, moment, optional, required, words } from "../parameter.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  recoverDeliveries: (name: WebhookName, asked: RecoveryAsked) => Promise<{ queued: number }>;
};

type Input = {
  id: string;
  since: Date;
  until: Date | undefined;
  include: readonly string[] | undefined;
};

/**
 * Queues again what a webhook did not accept. Safe to repeat: deliveries that are under way or
 * delivered are left alone. @throws Fault `webhook_not_found`, `webhook_inactive`,
 * `invalid_request`
 */
export const webhookRecover = defineChange({
  noun: "webhook",
  http: {
    method: "POST",
    path: "/webhooks/:id/recover",
    summary: "Queue again what it did not accept",
    status: 202,
    refuses: ["webhook_inactive"],
    body: z.strictObject(recoveryFields),
    input: ({ params, body }) => ({
      id: params.id,
      since: body.since,
      until: body.until,
      include: body.include,
    }),
  },
  cli: {
    name: "recover",
    help: "Queue again what a webhook did not accept, after an outage of its receiver.",
    examples: [
      "webhook recover 018f… --since 2026-01-31T12:00:00Z",
      "webhook recover 018f… --since 2026-01-31 --include waiting,exhausted",
    ],
    takes: {
      id: argument("<id>"),
      since: required("--since <time>", moment, "what was written from then on"),
      until: optional("--until <time>", moment, "and before then"),
      include: optional(
        "--include <words>",
        words,
        `some of ${recoveredStatuses.join(", ")}; all but waiting if left out`,
      ),
    },
  },
  check: ({ id, since, until, include }: Input) => ({
    name: requireWebhookName(id),
    asked: { since, until: until ?? null, ...given({ include: include?.map(toStatus) }) },
  }),
  call: (ledger: Ledger, { name, asked }) => ledger.recoverDeliveries(name, asked),
  audit: {
    action: "webhook.recover",
    describe: ({ queued }, { name, asked }) => ({
      subject: name.webhookId,
      details: { ...asked, queued },
    }),
  },
  answer: z.object({ id: idText, queued: count }),
  present: ({ queued }, { name }) => ({ id: name.webhookId, queued }),
});

function toStatus(word: string) {
  const status = recoveredStatuses.find((known) => known === word);
  if (status !== undefined) return status;
  const message = `expected some of ${recoveredStatuses.join(", ")}`;
  throw new Fault("invalid_request", `include: ${message}`, {
    facts: { details: [{ field: "include", message }] },
  });
}
