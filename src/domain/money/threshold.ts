/** The most thresholds that a wallet has at once. */
export const mostThresholds = 8;

/**
 * The limits of a threshold, in atomic units. The balance is below from less than `belowAtomic`
 * until it is `restoredFromAtomic` or more, which is never less. In between it stays as it was.
 */
export type ThresholdLimits = { belowAtomic: bigint; restoredFromAtomic: bigint };

/** A threshold that is asked for. Both limits are decimals in units of the asset. */
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
  /** Null: not judged yet, since the balance is not known. */
  isBelow: boolean | null;
  /** The time at which it was set, or judged otherwise for the last time. */
  since: Date;
};

/** The states of a balance that are notified. */
export type CrossedState = "below" | "restored";

/**
 * The judgement of a balance: `same` as before, `crossed` into a state that is notified, or known
 * for the `first` time and not below, which is not.
 */
export type Judgement =
  | { kind: "same" }
  | { kind: "first" }
  | { kind: "crossed"; state: CrossedState };

/**
 * Judges a confirmed balance by a threshold. `isBelow` is the judgement of before; null: there was
 * none. A balance that is below at the first judgement has crossed: nobody else would say so.
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
