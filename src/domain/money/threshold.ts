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

/** A confirmed balance, and the highest block that moved it; null: no block did. */
export type BalanceAt = { confirmedAtomic: bigint; blockNumber: bigint | null };

/** A balance that crossed a threshold. */
export type Crossed = BalanceAt & { state: CrossedState };

/** `isBelow`: the state after the last balance; null: none was compared yet. */
export type Judgement = { isBelow: boolean | null; crossed: Crossed[] };

/**
 * Compares confirmed balances with a threshold, one after another. `isBelow`: the earlier state;
 * null: there was none. A balance that is below at the first comparison counts as crossed, since
 * nothing else would notify of it.
 */
export function judgeBalances(
  isBelow: boolean | null,
  { belowAtomic, restoredFromAtomic }: ThresholdLimits,
  balances: readonly BalanceAt[],
): Judgement {
  const crossed: Crossed[] = [];
  let isNow = isBelow;
  for (const balance of balances) {
    const was = isNow;
    isNow = balance.confirmedAtomic < (was === true ? restoredFromAtomic : belowAtomic);
    if (isNow !== (was ?? false)) crossed.push({ ...balance, state: isNow ? "below" : "restored" });
  }
  return { isBelow: isNow, crossed };
}
