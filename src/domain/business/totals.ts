import type { StatementFilter } from "../evidence/account-statement.ts";
import type { PeriodPart, StatementPeriod } from "../evidence/statement-period.ts";
import type { TransactionType } from "../money/transaction.ts";

/** The ways in which totals are divided, beside the asset. */
export const totalKeys = ["blockchain", "type", "label", "day", "month"] as const;

export type TotalKey = (typeof totalKeys)[number];

/** The most totals of one answer. */
export const maxTotals = 10_000;

export type TotalsAsked = {
  businessId: string;
  period: StatementPeriod;
  filter: StatementFilter & { type?: TransactionType };
  by: readonly TotalKey[];
  /** The days or months that `by` asks for; null: the period is one. */
  parts: readonly PeriodPart[] | null;
};

/** The sums of one state, as exact decimals in units of the asset. */
export type TotalSums = { count: number; in: string; out: string };

/** Those of confirmed transactions, with their value in US dollars at confirmation. */
export type CompletedSums = TotalSums & {
  /** Null: something came in, and the value of nothing is known. */
  usdIn: string | null;
  usdOut: string | null;
  /** Transactions whose value is not known: `usdIn` and `usdOut` are without them. */
  unpriced: number;
};

/** The money of one asset that moved. A key that was not asked for is null. */
export type Total = {
  assetCode: string;
  chainName: string | null;
  type: TransactionType | null;
  /** Of the wallets, as it is now; null also: they have none. */
  label: string | null;
  part: string | null;
  completed: CompletedSums;
  pending: TotalSums;
  reversed: TotalSums;
};
