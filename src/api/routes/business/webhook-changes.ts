import { z } from "zod";
import {
  type EncryptionKey,
  encryptSecret,
  newWebhookSecret,
} from "../../../domain/delivery/secret.ts";
import type { WebhookRegistration } from "../../../domain/delivery/webhook-registration.ts";
import { isId } from "../../../domain/id.ts";
import { notFound } from "../../../domain/not-found.ts";
import { dateField, given } from "../../answers/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import { presentHealth, presentWebhook } from "./webhooks.ts";

type Name = { businessId: string; webhookId: string };

export type WebhookChangesDeps = {
  changeWebhook: (
    name: Name,
    change: { url?: string; isActive?: boolean },
  ) => Promise<WebhookRegistration>;
  deleteWebhook: (name: Name) => Promise<{ cancelled: number }>;
  rotateSecret: (
    name: Name,
    rotation: { secretCiphertext: string; overlapMs: number },
  ) => Promise<{ overlapEndsAt: Date | null }>;
  finishRotation: (name: Name) => Promise<{ overlapEndsAt: Date | null }>;
  recoverDeliveries: (
    name: Name,
    range: { since: Date; until: Date | null },
  ) => Promise<{ queued: number }>;
  /** Notifies the webhook once, now, and answers what came of it. */
  testWebhook: (name: Name) => Promise<object>;
  normaliseTarget: (url: string) => Promise<string>;
  encryptionKey: EncryptionKey;
};

const noQuery = z.strictObject({});
const params = z.strictObject({ id: z.string() });
const hourMs = 3_600_000;
const overlapRule = "expected a whole number of hours from 0 to 168";

const change = z
  .strictObject({
    url: z.string("expected a URL").optional(),
    is_active: z.boolean("expected true or false").optional(),
  })
  .refine(
    (body) => body.url !== undefined || body.is_active !== undefined,
    "expected url, is_active or both",
  );

const rotation = z
  .strictObject({
    overlap_hours: z.int(overlapRule).min(0, overlapRule).max(168, overlapRule).optional(),
  })
  .nullish()
  .transform((body) => body ?? {});

const recovery = z.strictObject({ since: dateField, until: dateField.optional() });

/** What a business does with its registered webhook; another's is not found. */
export function webhookChangesRoutes(web: Web, deps: WebhookChangesDeps): void {
  const bare = { params, querystring: noQuery };

  web.patch("/webhooks/:id", { schema: { ...bare, body: change } }, async (request) => {
    const { url, is_active: isActive } = request.body;
    const target = url === undefined ? undefined : await deps.normaliseTarget(url);
    const webhook = await deps.changeWebhook(
      nameOf(request.params.id, businessOf(request)),
      given({ url: target, isActive }),
    );
    return { success: true, data: { ...presentWebhook(webhook), ...presentHealth(webhook) } };
  });

  web.delete("/webhooks/:id", { schema: bare }, async (request) => {
    return {
      success: true,
      data: {
        id: request.params.id,
        ...(await deps.deleteWebhook(nameOf(request.params.id, businessOf(request)))),
      },
    };
  });

  web.post(
    "/webhooks/:id/rotate-secret",
    { schema: { ...bare, body: rotation } },
    async (request) => {
      const secret = newWebhookSecret();
      const { overlapEndsAt } = await deps.rotateSecret(
        nameOf(request.params.id, businessOf(request)),
        {
          secretCiphertext: encryptSecret(deps.encryptionKey, secret),
          overlapMs: (request.body.overlap_hours ?? 24) * hourMs,
        },
      );
      return {
        success: true,
        data: { id: request.params.id, secret, ...presentOverlap(overlapEndsAt) },
      };
    },
  );

  web.post("/webhooks/:id/rotate-secret/finish", { schema: bare }, async (request) => {
    const { overlapEndsAt } = await deps.finishRotation(
      nameOf(request.params.id, businessOf(request)),
    );
    return { success: true, data: { id: request.params.id, ...presentOverlap(overlapEndsAt) } };
  });

  web.post("/webhooks/:id/test", { schema: bare }, async (request) => {
    return {
      success: true,
      data: await deps.testWebhook(nameOf(request.params.id, businessOf(request))),
    };
  });

  web.post(
    "/webhooks/:id/recover",
    { schema: { ...bare, body: recovery } },
    async (request, reply) => {
      const { since, until = null } = request.body;
      const { queued } = await deps.recoverDeliveries(
        nameOf(request.params.id, businessOf(request)),
        { since, until },
      );
      return reply.code(202).send({ success: true, queued, data: { queued } });
    },
  );
}

function nameOf(webhookId: string, businessId: string): Name {
  if (!isId(webhookId)) throw notFound("webhook_not_found");
  return { businessId, webhookId };
}

function presentOverlap(overlapEndsAt: Date | null) {
  return { overlap_ends_at: overlapEndsAt?.toISOString() ?? null };
}
