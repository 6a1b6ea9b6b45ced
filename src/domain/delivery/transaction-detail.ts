import type { RecordedTransaction } from "../money/recorded-transaction.ts";
import type { DeliveryStatus } from "./delivery.ts";

/** A notification of a transaction, and how far its delivery is. */
export type TransactionNotification = {
  id: string;
  event: string;
  status: DeliveryStatus;
  attempts: number;
  deliveredAt: Date | null;
};

/** A transaction as the API shows one by itself. */
export type TransactionDetail = RecordedTransaction & {
  /** What the wallet paid for its own send; null where it paid nothing. */
  fee: { amountAtomic: bigint; assetCode: string; assetDecimals: number } | null;
  notifications: TransactionNotification[];
};
