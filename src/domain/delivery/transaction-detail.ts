import type { RecordedTransaction } from "../money/recorded-transaction.ts";
import type { RecordedNotification } from "./recorded-notification.ts";

/** A notification of a transaction, and how far its delivery is. */
export type TransactionNotification = Pick<
  RecordedNotification,
  "id" | "event" | "status" | "attempts" | "deliveredAt"
>;

/** A transaction as the API shows one by itself. */
export type TransactionDetail = RecordedTransaction & {
  /** What the wallet paid for its own send; null where it paid nothing. */
  fee: { amountAtomic: bigint; assetCode: string; assetDecimals: number } | null;
  notifications: TransactionNotification[];
};
