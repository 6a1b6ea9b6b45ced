import type { RecordedTransaction } from "../money/recorded-transaction.ts";
import type { RecordedNotification } from "./recorded-notification.ts";

/** A notification of a transaction, and how far its delivery is. */
export type TransactionNotification = Pick<
  RecordedNotification,
  "id" | "event" | "status" | "attempts" | "createdAt" | "deliveredAt"
> & {
  /** Null: there was none. */
  lastAttemptAt: Date | null;
  /** Null: none follows. */
  nextAttemptAt: Date | null;
  /** Of a reversal: what it takes back. */
  reversesNotificationId: string | null;
};

/** A transaction as the API shows one by itself. */
export type TransactionDetail = RecordedTransaction & {
  /** When it was recorded. */
  seenAt: Date;
  /** When it was confirmed; null: it is not, or not any more. */
  completedAt: Date | null;
  /** What the wallet paid for its own send; null where it paid nothing. */
  fee: { amountAtomic: bigint; assetCode: string; assetDecimals: number } | null;
  notifications: TransactionNotification[];
};
