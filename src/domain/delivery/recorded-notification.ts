import type { PageRequest } from "../page.ts";
import type { DeliveryStatus } from "./delivery.ts";

/** A notification as the ledger has it, and how its delivery stands. */
export type RecordedNotification = {
  id: string;
  event: string;
  /** Null for a test. */
  transactionId: string | null;
  /** The text that is signed and sent. */
  body: string;
  createdAt: Date;
  status: DeliveryStatus;
  /** How many there were. */
  attempts: number;
  deliveredAt: Date | null;
};

/** One POST of a notification, and what came of it. */
export type RecordedAttempt = {
  number: number;
  /** Where its webhook is, as it is now; null: the webhook is long gone. */
  url: string | null;
  startedAt: Date;
  latencyMs: number;
  statusCode: number | null;
  errorKind: string | null;
  response: string | null;
  /** The target is one that only `webhooks.allow` opened: a business is not shown what it answered. */
  isWithheld: boolean;
  /** Null: there is no next attempt. */
  nextDueAt: Date | null;
};

/** A notification with every attempt, the oldest first. */
export type NotificationDetail = RecordedNotification & { attemptLog: RecordedAttempt[] };

/** A business's own notification. */
export type NotificationName = { businessId: string; notificationId: string };

/** Which notifications are asked for; what is left out does not matter. */
export type NotificationFilter = {
  event?: string;
  status?: DeliveryStatus;
  transactionId?: string;
  /** One that it was, or will be, delivered to. */
  webhookId?: string;
  /** Written at or after this, and before `to`. */
  from?: Date;
  to?: Date;
};

export type NotificationsAsked = {
  businessId: string;
  filter: NotificationFilter;
  page: PageRequest;
};

/** The operator's: null is every business. */
export type AnyNotificationsAsked = Omit<NotificationsAsked, "businessId"> & {
  businessId: string | null;
};

/** A notification, and whose it is. */
export type OwnedNotification = RecordedNotification & { businessId: string };
