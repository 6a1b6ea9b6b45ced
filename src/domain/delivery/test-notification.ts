import type { SealedOutbound } from "../webhook/outbound.ts";
import type { Send } from "./claim.ts";
import type { AttemptResult } from "./delivery.ts";

/** What it takes to send a `webhook.test` now. */
export type TestNotification = Pick<
  Send,
  | "notificationId"
  | "deliveryId"
  | "webhookId"
  | "url"
  | "signingCiphertext"
  | "nextCiphertext"
  | keyof SealedOutbound
  | "body"
>;

/** A test that was sent. */
export type SentTest = {
  notification: TestNotification;
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  isAccepted: boolean;
};
