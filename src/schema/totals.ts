import { z } from "zod";
import { type Total, type TotalKey, type TotalSums, totalKeys } from "../domain/business/totals.ts";
import {
  type PeriodPart,
  partsOf,
  type StatementPeriod,
} from "../domain/evidence/statement-period.ts";
import { keysOf } from "../domain/keys-of.ts";
import { transactionTypes } from "../domain/money/transaction.ts";
import { invalidField } from "../domain/text.ts";
import { count, decimalText } from "./answers.ts";
import { given } from "./fields.ts";

/** True if totals can be divided by a key of this name. */
export const isTotalKey = (name: string): name is TotalKey => totalKeys.some((key) => key === name);

/** Reads the names of keys, separated by commas. Undefined: one of them is not a key. */
export function totalKeysIn(text: string): TotalKey[] | undefined {
  const names = text.split(",");
  return names.every(isTotalKey) ? names : undefined;
}

/** @throws Fault `invalid_request` if both days and months are asked for, or too many parts */
export function partsBy(period: StatementPeriod, by: readonly TotalKey[]): PeriodPart[] | null {
  const [unit, other] = (["day", "month"] as const).filter((one) => by.includes(one));
  if (other !== undefined) throw invalidField("by", "expected day or month, not both");
  return unit === undefined ? null : partsOf(period, unit);
}

const sums = z.object({ count, in: decimalText, out: decimalText });

const usd = decimalText.nullable().meta({
  description:
    "The sum in US dollars at confirmation, of the transactions whose value is known. Null: no value is known.",
});

export const shownTotal = z
  .object({
    asset: z.string(),
    blockchain: z.string().optional(),
    type: z.enum(keysOf(transactionTypes)).optional(),
    label: z
      .string()
      .nullable()
      .optional()
      .meta({ description: "The label of the wallets in this row. Null: they have none." }),
    period: z
      .string()
      .optional()
      .meta({ examples: ["2026-10"] }),
    completed: sums.extend({
      usd_in: usd,
      usd_out: usd,
      unpriced: count.meta({
        description:
          "The number of transactions without a known value in dollars. `usd_in` and `usd_out` leave them out.",
      }),
    }),
    pending: sums,
    reversed: sums,
  })
  .meta({ id: "Total" });

/** @param by the keys that were asked for */
export function presentTotal(one: Total, by: readonly TotalKey[]): z.output<typeof shownTotal> {
  const { usdIn, usdOut, unpriced, ...completed } = one.completed;
  return {
    asset: one.assetCode,
    ...given({
      blockchain: one.chainName ?? undefined,
      type: one.type ?? undefined,
      label: by.includes("label") ? one.label : undefined,
      period: one.part ?? undefined,
    }),
    completed: { ...presentSums(completed), usd_in: usdIn, usd_out: usdOut, unpriced },
    pending: presentSums(one.pending),
    reversed: presentSums(one.reversed),
  };
}

function presentSums({ count: many, in: into, out }: TotalSums): z.output<typeof sums> {
  return { count: many, in: into, out };
}
