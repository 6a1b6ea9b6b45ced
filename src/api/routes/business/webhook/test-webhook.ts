import type { BusinessLedger } from "../../../../domain/business/business-ledger.ts";
import type { AttemptResult } from "../../../../domain/delivery/delivery.ts";
import type { NotificationEvent } from "../../../../domain/delivery/notification.ts";
import type { Sender } from "../../../../domain/delivery/sender.ts";
import { openOutbound } from "../../../../domain/webhook/outbound.ts";
import type { OwnWebhook } from "./own-webhook.ts";

export type TestWebhookPorts = {
  ledger: Pick<BusinessLedger, "beginTest" | "recordTest">;
  sender: Pick<Sender, "post">;
  decrypt: (secretCiphertext: string, businessId: string) => string;
  clock: { now: () => number };
};

export type TestOutcome = {
  notificationId: string;
  isAccepted: boolean;
  latencyMs: number;
  result: AttemptResult;
};

/**
 * Sends one made-up event to a webhook at once, through the same guarded sender as all others. Its
 * body cannot be mistaken for real money. It is not retried, skips the filter, and does not affect
 * the webhook's health.
 * @throws Fault `webhook_not_found`, `rate_limited`
 */
export async function testWebhook(
  ports: TestWebhookPorts,
  name: OwnWebhook,
  event: NotificationEvent,
): Promise<TestOutcome> {
  const { ledger, sender, decrypt, clock } = ports;
  const notification = await ledger.beginTest(name, event);
  const { url, notificationId, body, signingCiphertext, nextCiphertext } = notification;
  const startedAt = new Date(clock.now());
  const secret = decrypt(signingCiphertext, name.businessId);
  const nextSecret = nextCiphertext === null ? null : decrypt(nextCiphertext, name.businessId);
  const outbound = openOutbound(notification, (one) => decrypt(one, name.businessId));
  const { businessId } = name;
  const signed = { secret, nextSecret, notificationId, startedAt, body };
  const message = { businessId, url, outbound, ...signed };
  const { latencyMs, ...result } = await sender.post(message, new AbortController().signal);
  const isAccepted =
    result.kind === "answered" && result.statusCode >= 200 && result.statusCode < 300;
  await ledger.recordTest({ notification, startedAt, latencyMs, result, isAccepted });
  return { notificationId, isAccepted, latencyMs, result };
}
