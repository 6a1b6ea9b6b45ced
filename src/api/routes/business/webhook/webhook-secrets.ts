import { z } from "zod";
import type { AuditedFor } from "../../../../domain/business/audit.ts";
import type { BusinessChanges } from "../../../../domain/business/business-ledger.ts";
import { sealedPair } from "../../../../domain/webhook/ed25519.ts";
import {
  encryptSecret,
  type Keyring,
  newWebhookSecret,
} from "../../../../domain/webhook/secret.ts";
import { dataBody, idText, timeText } from "../../../../schema/answers.ts";
import { actorOf, businessOf } from "../../../auth/authenticate.ts";
import type { Web } from "../../../http/web.ts";
import { aboutWebhook, nameOf, newSecretText } from "./own-webhook.ts";

export type WebhookSecretsDeps = {
  audited: AuditedFor<Pick<BusinessChanges, "rotateSecret" | "finishRotation">>;
  keyring: Keyring;
};

const overlap = z.object({ id: idText, overlap_ends_at: timeText.nullable() });
const rotated = z.object({
  ...overlap.shape,
  secret: newSecretText,
  public_key: z
    .string()
    .nullable()
    .meta({ description: "The public key of the new pair. Null: the webhook has none." }),
});

const hourMs = 3_600_000;
const defaultOverlapHours = 24;
const overlapRule = "expected a whole number of hours from 0 to 168";

const rotation = z
  .strictObject({
    overlap_hours: z.int(overlapRule).min(0, overlapRule).max(168, overlapRule).optional(),
  })
  .nullish()
  .transform((body) => body ?? {});

/**
 * Adds the routes to replace the secret, or the key pair, that signs a business's notifications.
 */
export function webhookSecretsRoutes(web: Web, deps: WebhookSecretsDeps): void {
  const rotate = {
    ...aboutWebhook(
      "A new secret, shown once, and a new pair where there is one; old and new sign while they overlap",
      rotated,
    ),
    body: rotation,
  };
  web.post("/webhooks/:id/rotate-secret", { schema: rotate }, async (request) => {
    const secret = newWebhookSecret();
    const overlapHours = request.body.overlap_hours ?? defaultOverlapHours;
    const audited = deps.audited(actorOf(request));
    const seal = (plain: string) => encryptSecret(deps.keyring, plain, businessOf(request));
    const name = nameOf(request);
    const { webhookId } = name;
    const { overlapEndsAt, publicKey } = await audited("webhook.rotate_secret", async (ledger) => {
      const output = await ledger.rotateSecret(name, {
        secretCiphertext: seal(secret),
        ed25519: sealedPair(seal),
        overlapMs: overlapHours * hourMs,
      });
      return { output, entry: { subject: webhookId, details: { overlapHours } } };
    });
    const shown = presentOverlap(webhookId, overlapEndsAt);
    return dataBody({ ...shown, secret, public_key: publicKey });
  });

  const finish = aboutWebhook("End the overlap early", overlap);
  web.post("/webhooks/:id/rotate-secret/finish", { schema: finish }, async (request) => {
    const audited = deps.audited(actorOf(request));
    const name = nameOf(request);
    const { webhookId } = name;
    const { overlapEndsAt } = await audited("webhook.finish_rotation", async (ledger) => {
      const output = await ledger.finishRotation(name);
      return { output, entry: { subject: webhookId, details: {} } };
    });
    return dataBody(presentOverlap(webhookId, overlapEndsAt));
  });
}

function presentOverlap(id: string, overlapEndsAt: Date | null): z.output<typeof overlap> {
  return { id, overlap_ends_at: overlapEndsAt?.toISOString() ?? null };
}
