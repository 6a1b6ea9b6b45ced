import type { SealedOutbound } from "../webhook/outbound.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { AttemptResult } from "./delivery.ts";

/** The data that is needed to send a `webhook.test` now. */
export type TestNotification = Pick<
  ClaimedDelivery,
  | "notificationId"
  | "deliveryId"
  | "webhookId"
  | "url"
  | "webhookVersion"
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
