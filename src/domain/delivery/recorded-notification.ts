import type { TransactionMoney } from "../money/recorded-transaction.ts";
import type { PageRequest } from "../page.ts";
import type { SealedOutbound } from "../webhook/outbound.ts";
import type { AttemptErrorKind, DeliveryStatus } from "./delivery.ts";

/** A notification as the ledger has it, and the state of its delivery. */
export type RecordedNotification = {
  id: string;
  event: string;
  /** The transaction that it is about; null: it is a test. */
  transactionId: string | null;
  /** The text that is signed and sent. */
  body: string;
  createdAt: Date;
  status: DeliveryStatus;
  /** The number of attempts. */
  attempts: number;
  deliveredAt: Date | null;
};

/**
 * A notification with what is known of its transaction. The fee and the value are null where it is
 * about none; the label is of its wallet, as it is now.
 */
export type FullNotification = RecordedNotification & TransactionMoney;

/** One POST of a notification, and its result. */
export type RecordedAttempt = {
  webhookId: string;
  number: number;
  /**
   * Its URL. Of an attempt of an earlier release the URL of its webhook as it is now; null: the
   * webhook is long gone.
   */
  url: string | null;
  /**
   * Makes its request again. Null: an earlier release made it, nobody knows how it ended, or its
   * webhook is gone.
   */
  request: SealedRequest | null;
  startedAt: Date;
  latencyMs: number;
  statusCode: number | null;
  errorKind: AttemptErrorKind | null;
  response: string | null;
  /**
   * True if only `webhooks.allow` opened the target. A business is not shown the answer of such a
   * target.
   */
  isWithheld: boolean;
  /** Null: there is no next attempt. */
  nextDueAt: Date | null;
};

/** The parts of an attempt's request, beside the notification and the time. */
type SealedRequest = {
  /** The names of the business's own headers. */
  headerNames: string[];
  previousId: string | null;
  /** True if a second secret signed too, while a rotation overlapped. */
  hasNext: boolean;
  /** The keys that signed it, encrypted. Null: one of them was replaced since, and is gone. */
  keys: SealedKeys | null;
};

/** A header of a request. `value` null: it is masked. */
export type SentHeader = { name: string; value: string | null };

/** The request of an attempt, made again. `isSecretGone`: its signatures cannot be made again. */
export type SentRequest = { headers: SentHeader[]; isSecretGone: boolean };

/** The secrets and pairs that sign. `next…`: the ones that also sign while a rotation overlaps. */
export type SealedKeys = Pick<SealedOutbound, "ed25519Ciphertext" | "nextEd25519Ciphertext"> & {
  signingCiphertext: string;
  nextCiphertext: string | null;
};

/** A notification with every attempt, the oldest first. */
export type NotificationDetail = OwnedNotification & { attemptLog: RecordedAttempt[] };

/** A business's own notification. */
export type NotificationName = { businessId: string; notificationId: string };

/** The operator's notification. `businessId` null: one of any business. */
export type AnyNotificationName = { businessId: string | null; notificationId: string };

/** The notifications that are asked for. A field that is left out does not matter. */
export type NotificationFilter = {
  event?: string;
  status?: DeliveryStatus;
  transactionId?: string;
  /** A webhook that the notification was, or will be, delivered to. */
  webhookId?: string;
  /** A part of its wallet's reference or label, or the beginning of its address, in any case. */
  named?: string;
  /** Written at or after `from`, and before `to`. */
  from?: Date;
  to?: Date;
};

export type NotificationsAsked = {
  businessId: string;
  filter: NotificationFilter;
  page: PageRequest;
};

/** The operator's question. `businessId` null: every business. */
export type AnyNotificationsAsked = Omit<NotificationsAsked, "businessId"> & {
  businessId: string | null;
};

/** A notification, and its business. */
export type OwnedNotification = RecordedNotification & { businessId: string };
