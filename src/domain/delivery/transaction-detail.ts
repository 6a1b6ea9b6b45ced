import type { RecordedTransaction } from "../money/recorded-transaction.ts";
import type { RecordedNotification } from "./recorded-notification.ts";

/** A notification of a transaction, and the state of its delivery. */
export type TransactionNotification = Pick<
  RecordedNotification,
  "id" | "event" | "status" | "attempts" | "createdAt" | "deliveredAt"
> & {
  /** Null: there was no attempt. */
  lastAttemptAt: Date | null;
  /** Null: no attempt follows. */
  nextAttemptAt: Date | null;
  /** For a reversal: the notification that it takes back. */
  reversesNotificationId: string | null;
  /** Its state at each webhook that wanted it, the first webhook first. */
  deliveries: NotificationDelivery[];
};

/**
 * The state of a notification at one webhook. `webhookId` null: the first one. `url` null: the
 * webhook is gone, or there is none.
 */
export type NotificationDelivery = Pick<
  RecordedNotification,
  "status" | "attempts" | "deliveredAt"
> & { webhookId: string | null; url: string | null };

/** A transaction as the API shows one by itself. */
export type TransactionDetail = RecordedTransaction & {
  businessId: string;
  notifications: TransactionNotification[];
};
