/** The most thresholds of one wallet. */
export const mostThresholds = 8;

/**
 * The limits of a threshold, in atomic units. A balance counts as below once it is less than
 * `belowAtomic`, until it is at least `restoredFromAtomic`. The second limit is never lower than
 * the first. Between the two the state stays.
 */
export type ThresholdLimits = { belowAtomic: bigint; restoredFromAtomic: bigint };

/** A threshold to be set. Both limits are decimals in units of the asset. */
export type NewThreshold = {
  assetCode: string;
  below: string;
  /** Null: the same as `below`. */
  restoredFrom: string | null;
};

/** A threshold of a wallet, and whether the balance is below it. */
export type Threshold = ThresholdLimits & {
  assetCode: string;
  assetDecimals: number;
  /** Null: not compared yet, because the balance is not known. */
  isBelow: boolean | null;
  /** When it was set, or when its state last changed. */
  since: Date;
};

/** The states of a balance that are notified. */
export type CrossedState = "below" | "restored";

/**
 * The result of a comparison. `same`: the state stays. `crossed`: it changed, which is notified.
 * `first`: the balance is known for the first time and not below, which is not notified.
 */
export type Judgement =
  | { kind: "same" }
  | { kind: "first" }
  | { kind: "crossed"; state: CrossedState };

/**
 * Compares a confirmed balance with a threshold. `isBelow`: the earlier state; null: there was
 * none. A balance that is below at the first comparison counts as crossed, since nothing else would
 * notify of it.
 */
export function judgeBalance(
  isBelow: boolean | null,
  { belowAtomic, restoredFromAtomic }: ThresholdLimits,
  confirmedAtomic: bigint,
): Judgement {
  if (isBelow === true)
    return confirmedAtomic >= restoredFromAtomic
      ? { kind: "crossed", state: "restored" }
      : { kind: "same" };
  if (confirmedAtomic < belowAtomic) return { kind: "crossed", state: "below" };
  return isBelow === null ? { kind: "first" } : { kind: "same" };
}
