import type { NotifiedType } from "../money/transaction.ts";
import type { BucketRange } from "../time-bucket.ts";

/** The number of transactions in a bucket, by type. A reversed one counts in `reversed` only. */
export type TransactionCount = Record<NotifiedType | "reversed", number> & { at: Date };

export type TransactionCountsAsked = {
  businessId: string;
  range: BucketRange;
  /** Null: all wallets. */
  walletId: string | null;
};
