import type { AttemptResult } from "../domain/delivery/delivery.ts";

type Name = { businessId: string | null; webhookId: string };

type TestNotification = {
  notificationId: string;
  deliveryId: string;
  webhookId: string;
  url: string;
  signingCiphertext: string;
  nextCiphertext: string | null;
  body: string;
};

export type TestWebhookPorts = {
  ledger: {
    beginTest: (name: Name) => Promise<TestNotification>;
    recordTest: (test: {
      notification: TestNotification;
      startedAt: Date;
      latencyMs: number;
      result: AttemptResult;
      isAccepted: boolean;
    }) => Promise<void>;
  };
  sender: {
    post: (
      message: {
        url: string;
        secret: string;
        nextSecret: string | null;
        notificationId: string;
        body: string;
      },
      signal: AbortSignal,
    ) => Promise<AttemptResult & { latencyMs: number }>;
  };
  decrypt: (secretCiphertext: string) => string;
  clock: { now: () => number };
};

/**
 * Notifies a webhook with a `webhook.test` notification, once and now, through the same guarded sender as everything
 * else, and answers what came of it. Not retried, and outside of the webhook's health.
 * @throws Fault `webhook_not_found`, `rate_limited`
 */
export async function testWebhook(ports: TestWebhookPorts, name: Name) {
  const { ledger, sender, decrypt, clock } = ports;
  const notification = await ledger.beginTest(name);
  const { url, notificationId, body, signingCiphertext, nextCiphertext } = notification;
  const startedAt = new Date(clock.now());
  const secret = decrypt(signingCiphertext);
  const nextSecret = nextCiphertext === null ? null : decrypt(nextCiphertext);
  const message = { url, secret, nextSecret, notificationId, body };
  const { latencyMs, ...result } = await sender.post(message, new AbortController().signal);
  const isAccepted =
    result.kind === "answered" && result.statusCode >= 200 && result.statusCode < 300;
  await ledger.recordTest({ notification, startedAt, latencyMs, result, isAccepted });
  const isWithheld = result.kind === "answered" && result.response === null;
  return {
    notification_id: notificationId,
    delivered: isAccepted,
    latency_ms: latencyMs,
    status_code: result.kind === "answered" && !isWithheld ? result.statusCode : null,
    error: isWithheld ? "withheld" : result.kind === "answered" ? null : result.errorKind,
    response: result.kind === "answered" ? result.response : null,
  };
}
