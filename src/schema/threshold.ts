import { z } from "zod";
import { toDecimal } from "../domain/money/amount.ts";
import { mostThresholds, type NewThreshold, type Threshold } from "../domain/money/threshold.ts";
import { decimalText, timeText } from "./answers.ts";
import { textField } from "./fields.ts";

const decimalField = z.string("expected a decimal").max(100, "expected a decimal");

const asked = z
  .strictObject({
    asset: textField.meta({
      description: "The code of an asset on the wallet's chain.",
      examples: ["ETH"],
    }),
    below: decimalField.meta({
      description:
        "The limit, more than 0, in units of the asset. A smaller balance notifies `wallet.balance_below`.",
      examples: ["1.5"],
    }),
    restored_from: decimalField.nullish().meta({
      description:
        "A balance of at least this much notifies `wallet.balance_restored`. It must not be less than `below`. Left out: `below`.",
      examples: ["2"],
    }),
  })
  .meta({ id: "ThresholdAsked" });

const listRule = `expected a list of at most ${mostThresholds}`;

/** The thresholds that a wallet should have. They replace all earlier ones. */
export const thresholdsBody = z.strictObject({
  thresholds: z.array(asked, listRule).max(mostThresholds, listRule),
});

/** A threshold in the words of the API. */
export type ThresholdInput = z.output<typeof asked>;

export function newThresholdOf(input: ThresholdInput): NewThreshold {
  const { asset: assetCode, below, restored_from: restoredFrom } = input;
  return { assetCode, below, restoredFrom: restoredFrom ?? null };
}

/** The thresholds as details of an audit entry. */
export function auditOfThresholds(thresholds: readonly NewThreshold[]) {
  return thresholds.map(({ assetCode, below, restoredFrom }) => ({
    asset: assetCode,
    below,
    restored_from: restoredFrom ?? below,
  }));
}

export const shownThreshold = z
  .object({
    asset: z.string(),
    below: decimalText,
    restored_from: decimalText,
    is_below: z.boolean().nullable().meta({
      description: "True: the balance is below the limit. Null: the balance is not known yet.",
    }),
    since: timeText.meta({
      description: "When the threshold was set, or when `is_below` last changed.",
    }),
  })
  .meta({ id: "Threshold" });

export function presentThreshold(threshold: Threshold): z.output<typeof shownThreshold> {
  const { assetCode, assetDecimals, belowAtomic, restoredFromAtomic, isBelow, since } = threshold;
  return {
    asset: assetCode,
    below: toDecimal(belowAtomic, assetDecimals),
    restored_from: toDecimal(restoredFromAtomic, assetDecimals),
    is_below: isBelow,
    since: since.toISOString(),
  };
}
