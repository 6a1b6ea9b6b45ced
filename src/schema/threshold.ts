import { z } from "zod";
import { toDecimal } from "../domain/money/amount.ts";
import { mostThresholds, type NewThreshold, type Threshold } from "../domain/money/threshold.ts";
import { decimalText, timeText } from "./answers.ts";
import { textField } from "./fields.ts";

const decimalField = z.string("expected a decimal").max(100, "expected a decimal");

const asked = z
  .strictObject({
    asset: textField.meta({
      description: "Its code, of the wallet's blockchain.",
      examples: ["ETH"],
    }),
    below: decimalField.meta({
      description: "More than 0. The balance is below it from less than this on.",
      examples: ["1.5"],
    }),
    restored_from: decimalField.nullish().meta({
      description: "No less than `below`, and `below` where it is left out: restored from this on.",
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
      description: "Null: the balance is not known yet.",
    }),
    since: timeText.meta({ description: "When it was set, or `is_below` changed last." }),
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
