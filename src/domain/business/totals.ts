import type { StatementFilter } from "../evidence/account-statement.ts";
import type { PeriodPart, StatementPeriod } from "../evidence/statement-period.ts";
import type { TransactionType } from "../money/transaction.ts";

/** The keys by which totals can be divided, besides the asset. */
export const totalKeys = ["blockchain", "type", "label", "day", "month"] as const;

export type TotalKey = (typeof totalKeys)[number];

/** The most totals of one answer. */
export const maxTotals = 10_000;

export type TotalsAsked = {
  businessId: string;
  period: StatementPeriod;
  filter: StatementFilter & { type?: TransactionType };
  by: readonly TotalKey[];
  /** The days or months, if `by` names them; null: the period is not divided. */
  parts: readonly PeriodPart[] | null;
};

/** The sums of one status, as exact decimals in units of the asset. */
export type TotalSums = { count: number; in: string; out: string };

/** The sums of confirmed transactions, with their value in US dollars at confirmation. */
export type CompletedSums = TotalSums & {
  /** Null: something came in, but no value is known. */
  usdIn: string | null;
  usdOut: string | null;
  /** The number of transactions without a known value. `usdIn` and `usdOut` leave them out. */
  unpriced: number;
};

/** The movements of one asset. A key that was not asked for is null. */
export type Total = {
  assetCode: string;
  chainName: string | null;
  type: TransactionType | null;
  /** The present label of the wallets; null also if they have none. */
  label: string | null;
  part: string | null;
  completed: CompletedSums;
  pending: TotalSums;
  reversed: TotalSums;
};
