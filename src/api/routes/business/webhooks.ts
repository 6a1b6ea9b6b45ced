import { z } from "zod";
import {
  type EncryptionKey,
  encryptSecret,
  newWebhookSecret,
} from "../../../domain/delivery/secret.ts";
import type { WebhookRegistration } from "../../../domain/delivery/webhook-registration.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type WebhooksDeps = {
  registerWebhook: (registration: {
    businessId: string;
    url: string;
    secretCiphertext: string;
  }) => Promise<{ outcome: "created" | "unchanged"; webhook: WebhookRegistration }>;
  readWebhook: (businessId: string) => Promise<WebhookRegistration>;
  /** The form of a URL that is kept and compared. Throws Faults `invalid_url`, and `target_refused` for what may not be notified. */
  normaliseTarget: (url: string) => Promise<string>;
  encryptionKey: EncryptionKey;
};

const body = z.strictObject(
  { url: z.string("expected a URL such as https://example.com/hook") },
  { error: (issue) => (issue.code === "invalid_type" ? "expected an object with url" : undefined) },
);

const noQuery = z.strictObject({});

export function webhooksRoutes(web: Web, deps: WebhooksDeps): void {
  web.post("/webhooks", { schema: { body, querystring: noQuery } }, async (request, reply) => {
    const url = await deps.normaliseTarget(request.body.url);
    const secret = newWebhookSecret();
    const { outcome, webhook } = await deps.registerWebhook({
      businessId: businessOf(request),
      url,
      secretCiphertext: encryptSecret(deps.encryptionKey, secret),
    });
    const data = presentWebhook(webhook);
    if (outcome === "unchanged") return { success: true, data };
    // The one time that the secret is shown.
    return reply.code(201).send({ success: true, data: { ...data, secret } });
  });

  web.get("/webhooks", { schema: { querystring: noQuery } }, async (request) => {
    const webhook = await deps.readWebhook(businessOf(request));
    return { success: true, data: { ...presentWebhook(webhook), ...presentHealth(webhook) } };
  });
}

export function presentWebhook({ id, url, isActive, createdAt }: WebhookRegistration) {
  return { id, url, event: "*", is_active: isActive, created_at: createdAt.toISOString() };
}

export function presentHealth(webhook: WebhookRegistration) {
  return {
    last_success_at: webhook.lastSuccessAt?.toISOString() ?? null,
    consecutive_failures: webhook.consecutiveFailures,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
    overlap_ends_at: webhook.overlapEndsAt?.toISOString() ?? null,
  };
}
