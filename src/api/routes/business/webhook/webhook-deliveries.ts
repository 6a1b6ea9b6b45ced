import { z } from "zod";
import type { AuditedFor } from "../../../../domain/business/audit.ts";
import type {
  BusinessChanges,
  BusinessLedger,
} from "../../../../domain/business/business-ledger.ts";
import {
  type NotificationEvent,
  notificationEvents,
  testEvent,
} from "../../../../domain/delivery/notification.ts";
import { keysOf } from "../../../../domain/keys-of.ts";
import { requireId } from "../../../../domain/not-found.ts";
import {
  answer,
  count,
  dataAnswer,
  dataBody,
  idText,
  listAnswer,
  listBody,
} from "../../../../schema/answers.ts";
import { noQuery, pageFields, pageOf } from "../../../../schema/fields.ts";
import { attemptErrorText } from "../../../../schema/recorded-notification.ts";
import {
  presentPreview,
  presentRecovery,
  recoveryAsked,
  recoveryAudit,
  recoveryFields,
  shownPreview,
  shownRecovery,
} from "../../../../schema/recovery.ts";
import { actorOf } from "../../../auth/authenticate.ts";
import type { Web } from "../../../http/web.ts";
import { aboutWebhook, nameOf, type OwnWebhook, webhookParams } from "./own-webhook.ts";
import type { TestOutcome } from "./test-webhook.ts";

export type WebhookDeliveriesDeps = Pick<
  BusinessLedger,
  "previewRecovery" | "readRecoveries" | "readDeliveryRecovery"
> & {
  audited: AuditedFor<Pick<BusinessChanges, "beginRecovery">>;
  /** Sends a test to the webhook at once: see testWebhook. */
  testWebhook: (name: OwnWebhook, event: NotificationEvent) => Promise<TestOutcome>;
};

const testableEvents = keysOf(notificationEvents);

const testBody = z
  .strictObject({
    event: z
      .enum(testableEvents, `expected one of ${testableEvents.join(", ")}`)
      .optional()
      .meta({ description: `The event in the body of the attempt. Left out: \`${testEvent}\`.` }),
  })
  .nullish()
  .transform((body) => body ?? {});

const tested = z.object({
  notification_id: idText,
  delivered: z.boolean(),
  latency_ms: count,
  status_code: z.int().nullable(),
  error: attemptErrorText,
  response: z.string().nullable(),
});

const recovered = answer({ queued: count, data: shownRecovery });

const preview = dataAnswer(shownPreview);

/**
 * Adds the deliveries that a business may ask for: a test, and notifications that were not
 * accepted.
 */
export function webhookDeliveriesRoutes(web: Web, deps: WebhookDeliveriesDeps): void {
  const test = {
    ...aboutWebhook("Notify it now of a test; answers what the receiver answered", tested),
    description:
      "Its body has every field of the event. Nothing in it could be taken for money: the blockchain is `test`, the asset `TEST`. Amounts are 0, and ids are zeros.",
    body: testBody,
  };
  web.post("/webhooks/:id/test", { schema: test }, async (request) =>
    dataBody(
      presentOutcome(await deps.testWebhook(nameOf(request), request.body.event ?? testEvent)),
    ),
  );

  recoveryRoutes(web, deps);
}

function recoveryRoutes(web: Web, deps: WebhookDeliveriesDeps): void {
  const recover = {
    tags: ["Webhook"],
    summary: "Queue again what was not accepted",
    description:
      "In batches. A recovery of at most 1,000 is mostly done when this answers. `GET /webhooks/{id}/recoveries/{recovery}` says how far another one is.",
    params: webhookParams,
    body: z.strictObject({
      ...recoveryFields,
      preview: z
        .boolean("expected true or false")
        .optional()
        .meta({ description: "True: queue nothing, and answer 200 with what would be queued." }),
    }),
    querystring: noQuery,
    response: { 200: preview, 202: recovered },
    refuses: ["webhook_inactive", "recovery_running"] as const,
  };
  web.post("/webhooks/:id/recover", { schema: recover }, async (request, reply) => {
    const asked = recoveryAsked(request.body);
    if (request.body.preview === true)
      return dataBody(presentPreview(await deps.previewRecovery(nameOf(request), asked)));
    const audited = deps.audited(actorOf(request));
    const begun = await audited("webhook.recover", async (ledger) => {
      const output = await ledger.beginRecovery(nameOf(request), asked);
      return { output, entry: recoveryAudit(output, asked) };
    });
    const data = presentRecovery(begun);
    return reply.code(202).send({ success: true, queued: data.queued, data });
  });

  const list = {
    tags: ["Webhook"],
    summary: "List the recoveries of a webhook",
    description: "Newest first.",
    params: webhookParams,
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shownRecovery) },
  };
  web.get("/webhooks/:id/recoveries", { schema: list }, async (request) => {
    const page = await deps.readRecoveries(nameOf(request), pageOf(request.query));
    return listBody(page, presentRecovery);
  });

  const one = {
    ...aboutWebhook("How far a recovery is", shownRecovery),
    params: webhookParams.extend({ recovery: z.string() }),
  };
  web.get("/webhooks/:id/recoveries/:recovery", { schema: one }, async (request) => {
    const recoveryId = requireId(request.params.recovery, "recovery_not_found");
    const name = { ...nameOf(request), recoveryId };
    return dataBody(presentRecovery(await deps.readDeliveryRecovery(name)));
  });
}

function presentOutcome(outcome: TestOutcome): z.output<typeof tested> {
  const { notificationId, isAccepted, latencyMs, result } = outcome;
  const sent = { notification_id: notificationId, delivered: isAccepted, latency_ms: latencyMs };
  if (result.kind === "unanswered")
    return { ...sent, status_code: null, error: result.errorKind, response: null };
  // If only the operator's allow-list permits the target, the text and the status of its answer are
  // not shown.
  if (result.response === null)
    return { ...sent, status_code: null, error: "withheld", response: null };
  return { ...sent, status_code: result.statusCode, error: null, response: result.response };
}
