import type { NotifiedType } from "../money/transaction.ts";
import type { BucketRange } from "../time-bucket.ts";

/** How many transactions a bucket has. `reversed` are in none of the others. */
export type TransactionCount = Record<NotifiedType | "reversed", number> & { at: Date };

export type TransactionCountsAsked = {
  businessId: string;
  range: BucketRange;
  /** Null: of all. */
  walletId: string | null;
};
