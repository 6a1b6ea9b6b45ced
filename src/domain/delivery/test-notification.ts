import type { AttemptResult } from "./delivery.ts";

/** What it takes to send a `webhook.test` now. */
export type TestNotification = {
  notificationId: string;
  deliveryId: string;
  webhookId: string;
  url: string;
  signingCiphertext: string;
  /** While a rotation overlaps: the secret that signs too. */
  nextCiphertext: string | null;
  body: string;
};

/** A test that was sent. */
export type SentTest = {
  notification: TestNotification;
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  isAccepted: boolean;
};
