import type { TransactionMoney, transactionSorts } from "../money/recorded-transaction.ts";
import type { PageRequest } from "../page.ts";
import type { SealedOutbound } from "../webhook/outbound.ts";
import type { AskedStatus, AttemptErrorKind, DeliveryStatus } from "./delivery.ts";

/** A stored notification, and the state of its delivery. */
export type RecordedNotification = {
  id: string;
  event: string;
  /** The transaction; null: it is a test, or about no transaction. */
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
 * A notification in a list. `webhookId`: the webhook that its status is of; null: the first one.
 * `lastAttempt`: at that webhook; null: none.
 */
export type ListedNotification = RecordedNotification & {
  webhookId: string | null;
  lastAttempt: LastAttempt | null;
};

/** An attempt and its result, with the first 200 characters of the answer. */
export type LastAttempt = Pick<
  RecordedAttempt,
  "url" | "startedAt" | "statusCode" | "errorKind" | "response" | "isWithheld"
>;

/**
 * A notification with the facts of its transaction. Fee and value are null if it has none. The
 * label is the wallet's present one.
 */
export type FullNotification = ListedNotification & TransactionMoney;

/** One POST of a notification, and its result. */
export type RecordedAttempt = {
  webhookId: string;
  number: number;
  /**
   * The URL of the attempt. For an attempt of an earlier release it is the webhook's present URL;
   * null: the webhook was deleted.
   */
  url: string | null;
  /**
   * The facts that are needed to make its request again. Null: an earlier release made it, its
   * outcome is unknown, or its webhook was deleted.
   */
  request: SealedRequest | null;
  startedAt: Date;
  latencyMs: number;
  statusCode: number | null;
  errorKind: AttemptErrorKind | null;
  response: string | null;
  /** True if only `webhooks.allow` opened the target. Then the business does not see the answer. */
  isWithheld: boolean;
  /** Null: there is no next attempt. */
  nextDueAt: Date | null;
};

/** The parts of an attempt's request, besides the notification and the time. */
type SealedRequest = {
  /** The names of the business's own headers. */
  headerNames: string[];
  previousId: string | null;
  /** True if a second secret signed too, because a rotation overlapped. */
  hasNext: boolean;
  /** The keys that signed, encrypted. Null: one of them was replaced since then, and is gone. */
  keys: SealedKeys | null;
};

/** A header of a request. A null `value` is masked. */
export type SentHeader = { name: string; value: string | null };

/** The request of an attempt, made again. `isSecretGone`: its signatures cannot be made again. */
export type SentRequest = { headers: SentHeader[]; isSecretGone: boolean };

/** The secrets and key pairs that sign. `next…`: those that also sign while a rotation overlaps. */
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

/** A webhook by its id. `any`: for each notification the webhook where it stands worst. */
export type AskedWebhook = { id: string } | "any";

/** The wanted notifications. A field that is left out matches everything. */
export type NotificationFilter = {
  event?: string;
  status?: AskedStatus;
  transactionId?: string;
  /** A webhook to which the notification was or will be sent, or that where it stands worst. */
  webhookId?: AskedWebhook;
  chainName?: string;
  /** In any case. */
  assetCode?: string;
  /** A part of the wallet's reference or label, or the beginning of its address, in any case. */
  named?: string;
  /** Created at or after `from`, and before `to`. */
  from?: Date;
  to?: Date;
  /**
   * Left out: by time. `amount` is that of the transaction. It also needs `assetCode`, and one
   * business.
   */
  sort?: (typeof transactionSorts)[number];
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

/** A notification in a list of several businesses, with the present label of its wallet. */
export type OwnedListedNotification = ListedNotification & {
  businessId: string;
  label: string | null;
};
