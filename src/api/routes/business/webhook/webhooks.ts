import { z } from "zod";
import type { AuditedFor } from "../../../../domain/business/audit.ts";
import type {
  BusinessChanges,
  BusinessLedger,
} from "../../../../domain/business/business-ledger.ts";
import { publicKeysOf } from "../../../../domain/webhook/ed25519.ts";
import type {
  WebhookInOrder,
  WebhookRegistration,
} from "../../../../domain/webhook/registration.ts";
import {
  encryptSecret,
  type Keyring,
  newWebhookSecret,
} from "../../../../domain/webhook/secret.ts";
import { count, dataAnswer, dataBody, idText, timeText } from "../../../../schema/answers.ts";
import { given, noQuery } from "../../../../schema/fields.ts";
import {
  descriptionField,
  orderFields,
  orderOf,
  presentWebhookFields,
  webhookFields,
} from "../../../../schema/webhook.ts";
import { filterField, filterOf } from "../../../../schema/webhook-filter.ts";
import { answersWithData } from "../../../answers/answers.ts";
import { actorOf, businessOf } from "../../../auth/authenticate.ts";
import { createInProgressLimit } from "../../../auth/limit-in-progress.ts";
import type { Web } from "../../../http/web.ts";
import { aboutWebhook, nameOf, newSecretText } from "./own-webhook.ts";
import { webhookChangeBody, webhookChangeOf } from "./webhook-change.ts";

export type WebhooksDeps = Pick<BusinessLedger, "readWebhook" | "readWebhooks"> & {
  audited: AuditedFor<
    Pick<BusinessChanges, "registerWebhook" | "addWebhook" | "changeWebhook" | "deleteWebhook">
  >;
  /**
   * Returns the normal form of a URL, to store and compare.
   * @throws Fault `invalid_url`; `target_refused` if the target may not be notified
   */
  normaliseTarget: (url: string, businessId: string) => Promise<string>;
  /** CIDR blocks that notifications come from. Empty: the operator has not configured them. */
  webhookOrigins: readonly string[];
  /** The most webhooks of a business. */
  mostWebhooks: number;
  keyring: Keyring;
  clock: { now: () => number };
};

type CheckedDeps = WebhooksDeps & {
  /**
   * The same, limited for each business. A silent name server delays only the business that chose
   * it.
   */
  targetOf: (businessId: string, url: string) => Promise<string>;
};

const { id, url, description, additional, is_active, created_at, filter } = webhookFields;
const event = z.literal("*");

const registration = z.object({
  id,
  url,
  description,
  additional,
  event,
  is_active,
  created_at,
  filter,
});

const created = z.object({ ...registration.shape, secret: newSecretText });

const webhook = z
  .object({
    ...webhookFields,
    event,
    overlap_ends_at: timeText.nullable(),
    header_names: z.array(z.string()),
    client_certificate: z
      .object({ fingerprint: z.string(), expires_at: timeText })
      .nullable()
      .meta({
        description:
          "The client certificate: the SHA-256 of its DER in hex, and when it expires. Null: none is set.",
      }),
    public_key: z.string().nullable().meta({
      description:
        "The public key that verifies signatures `v1a`: `whpk_` and base64. Null: requests have no such signature.",
    }),
    next_public_key: z.string().nullable().meta({
      description:
        "The public key that follows `public_key` while a rotation overlaps. It is valid already. Null: no rotation is going on.",
    }),
  })
  .meta({ id: "Webhook" });

const webhookInOrder = webhook
  .extend({
    lines: z
      .object({ waiting: count, held: count, oldest_waiting_at: timeText.nullable() })
      .nullable()
      .meta({
        description:
          "`waiting`: wallets with a notification that has not ended. `held`: those of them that a given-up notification holds. `oldest_waiting_at`: since when the oldest waits. Null: the webhook has no order.",
      }),
  })
  .meta({ id: "WebhookInOrder" });

const origins = z.object({
  networks: z.array(z.string()).meta({
    description:
      "The CIDR blocks from which requests come. Empty: the operator has not listed them, so do not filter by address.",
  }),
});

const ended = z.object({ id: idText, cancelled: count });

const newWebhook = z.strictObject(
  {
    url: z.string("expected a URL such as https://example.com/hook"),
    description: descriptionField,
    additional: z.boolean("expected true or false").optional().meta({
      description:
        "True: register this webhook beside the others, up to the installation's limit. False, the default: register the first webhook, or replace its URL.",
    }),
    filter: filterField,
    ...orderFields,
  },
  { error: (issue) => (issue.code === "invalid_type" ? "expected an object with url" : undefined) },
);

/** The faults of a URL that may not be notified. */
const badTarget = ["invalid_url", "target_refused"] as const;

const tags = ["Webhook"];

/** The number of URLs of one business that are looked up at a time. */
const mostLookups = 2;

/** Adds the routes for the webhooks of a business. */
export function webhooksRoutes(web: Web, ports: WebhooksDeps): void {
  const limited = createInProgressLimit(mostLookups);
  const deps: CheckedDeps = {
    ...ports,
    targetOf: (businessId, url) =>
      limited(businessId, () => ports.normaliseTarget(url, businessId)),
  };
  const post = {
    tags,
    summary: "Register the webhook; another URL replaces it, or stands beside it",
    body: newWebhook,
    querystring: noQuery,
    response: { 200: dataAnswer(registration), 201: dataAnswer(created) },
    refuses: [...badTarget, "limit_reached"] as const,
  };
  web.post("/webhooks", { schema: post }, async (request, reply) => {
    const { additional = false } = request.body;
    const { description } = request.body;
    const filter = filterOf(request.body.filter);
    const asked = { ...given({ description, filter }), ...orderOf(request.body) };
    const url = await deps.targetOf(businessOf(request), request.body.url);
    const secret = newWebhookSecret();
    const businessId = businessOf(request);
    const secretCiphertext = encryptSecret(deps.keyring, secret, businessId);
    const audited = deps.audited(actorOf(request));
    const registered = await audited("webhook.register", async (ledger) => {
      const register = additional ? ledger.addWebhook : ledger.registerWebhook;
      const output = await register({
        businessId,
        url,
        secretCiphertext,
        most: deps.mostWebhooks,
        ...asked,
      });
      const { outcome, webhook } = output;
      const details = { url, outcome, ...(additional ? { additional } : {}), ...asked };
      return { output, entry: { subject: webhook.id, details } };
    });
    const data = presentRegistration(registered.webhook);
    if (registered.outcome === "unchanged") return dataBody(data);
    // Shown only in this answer.
    return reply.code(201).send(dataBody({ ...data, secret }));
  });

  const get = {
    tags,
    summary: "The first registration and its health",
    ...answersWithData(webhookInOrder),
    refuses: ["webhook_not_found"] as const,
  };
  web.get("/webhooks", { schema: get }, async (request) =>
    dataBody(presentInOrder(await deps.readWebhook(businessOf(request)), deps.clock.now())),
  );

  const all = {
    tags,
    summary: "All webhooks with their health, the first one first",
    ...answersWithData(z.array(webhookInOrder)),
  };
  web.get("/webhooks/all", { schema: all }, async (request) => {
    const nowMs = deps.clock.now();
    const webhooks = await deps.readWebhooks(businessOf(request));
    return dataBody(webhooks.map((one) => presentInOrder(one, nowMs)));
  });

  const from = {
    tags,
    summary: "The addresses that notifications come from, for a receiver's firewall",
    ...answersWithData(origins),
  };
  web.get("/webhooks/origins", { schema: from }, async () =>
    dataBody({ networks: [...deps.webhookOrigins] }),
  );

  changeRoutes(web, deps);
}

function changeRoutes(web: Web, deps: CheckedDeps): void {
  const patch = {
    ...aboutWebhook("Change what is given; id and secret stay", webhook),
    body: webhookChangeBody,
    refuses: badTarget,
  };
  web.patch("/webhooks/:id", { schema: patch }, async (request) => {
    const businessId = businessOf(request);
    const { url } = request.body;
    const { change, details } = webhookChangeOf(request.body, {
      target: url === undefined ? undefined : await deps.targetOf(businessId, url),
      seal: (plain) => encryptSecret(deps.keyring, plain, businessId),
      nowMs: deps.clock.now(),
    });
    const audited = deps.audited(actorOf(request));
    const changed = await audited("webhook.change", async (ledger) => {
      const output = await ledger.changeWebhook(nameOf(request), change);
      return { output, entry: { subject: output.id, details } };
    });
    return dataBody(presentWebhook(changed, deps.clock.now()));
  });

  const remove = aboutWebhook("Delete it; deliveries that wait are cancelled", ended);
  web.delete("/webhooks/:id", { schema: remove }, async (request) => {
    const name = nameOf(request);
    const id = name.webhookId;
    const audited = deps.audited(actorOf(request));
    const { cancelled } = await audited("webhook.delete", async (ledger) => {
      const output = await ledger.deleteWebhook(name);
      return { output, entry: { subject: id, details: { ...output } } };
    });
    return dataBody({ id, cancelled });
  });
}

function presentRegistration(shown: WebhookRegistration): z.output<typeof registration> {
  const fields = presentWebhookFields(shown);
  const { id, url, description, additional, is_active, created_at, filter } = fields;
  return { id, url, description, additional, event: "*", is_active, created_at, filter };
}

function presentWebhook(shown: WebhookRegistration, nowMs: number): z.output<typeof webhook> {
  const { current, next } = publicKeysOf(shown, nowMs);
  return {
    ...presentRegistration(shown),
    ...presentWebhookFields(shown),
    overlap_ends_at: shown.overlapEndsAt?.toISOString() ?? null,
    header_names: shown.headerNames,
    client_certificate: presentCertificate(shown),
    public_key: current,
    next_public_key: next,
  };
}

function presentInOrder(shown: WebhookInOrder, nowMs: number): z.output<typeof webhookInOrder> {
  const { lines } = shown;
  return {
    ...presentWebhook(shown, nowMs),
    lines: lines && {
      waiting: lines.waiting,
      held: lines.held,
      oldest_waiting_at: lines.oldestWaitingAt?.toISOString() ?? null,
    },
  };
}

function presentCertificate(shown: WebhookRegistration) {
  const { certificateFingerprint: fingerprint, certificateExpiresAt: expiresAt } = shown;
  if (fingerprint === null || expiresAt === null) return null;
  return { fingerprint, expires_at: expiresAt.toISOString() };
}
