import type { AttemptResult } from "../../../domain/delivery/delivery.ts";
import type { SentTest, TestNotification } from "../../../domain/delivery/test-notification.ts";
import type { OwnWebhook } from "./own-webhook.ts";

export type TestWebhookPorts = {
  ledger: {
    beginTest: (name: OwnWebhook) => Promise<TestNotification>;
    recordTest: (test: SentTest) => Promise<void>;
  };
  sender: {
    post: (
      message: TestMessage,
      signal: AbortSignal,
    ) => Promise<AttemptResult & { latencyMs: number }>;
  };
  decrypt: (secretCiphertext: string) => string;
  clock: { now: () => number };
};

type TestMessage = Pick<TestNotification, "url" | "notificationId" | "body"> & {
  secret: string;
  nextSecret: string | null;
};

export type TestOutcome = {
  notificationId: string;
  isAccepted: boolean;
  latencyMs: number;
  result: AttemptResult;
};

/**
 * Notifies a webhook with a `webhook.test` notification, once and now, through the same guarded sender as everything
 * else. Not retried, and outside of the webhook's health.
 * @throws Fault `webhook_not_found`, `rate_limited`
 */
export async function testWebhook(ports: TestWebhookPorts, name: OwnWebhook): Promise<TestOutcome> {
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
  return { notificationId, isAccepted, latencyMs, result };
}
