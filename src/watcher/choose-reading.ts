import { isOnlyTraced, type MatchedTransaction } from "../domain/money/matched-transaction.ts";

/** The movements of one balance in a block, as one host reports them. */
type Reading = MatchedTransaction[];

/**
 * The readings of one balance in a block.
 *
 * - `agreed`: enough hosts report `first`.
 * - `several`: hosts report different amounts.
 * - `alone`: the chain's only host has been read twice.
 * - `open`: other hosts are silent, or report other parties with the same amounts.
 */
export type Readings =
  | { kind: "agreed" | "open"; first: Reading }
  | { kind: "several" | "alone"; first: Reading; others: readonly Reading[] };

/** The findings from the balance before and after the block. */
type Shown = {
  /**
   * True if the state root or enough hosts prove the balance, and the stored movements wait for no
   * proof. Only then may the balance remove confirmed movements. Waiting ones stay.
   */
  mayRefute: boolean;
  /** True if the stored movements add up to the change of the balance. */
  isWrittenShown: boolean;
  /** True if this reading adds up to the change of the balance. */
  isShown: (reading: Reading) => boolean;
  /** True if the block was read without traces, so it may move more than the readings show. */
  mayBeMore: boolean;
};

/**
 * Decides which reading of a block replaces the stored movements of a balance. Null: none does. No
 * other code decides this.
 *
 * A reading must add up to the balance's change. The reading of enough hosts comes first, then the
 * stored movements. The balances decide between different amounts, but never between different
 * parties. A proved balance overrules believed traces that do not add up to it, even if endpoints
 * still report them. Then only the movements remain that the block's hash covers.
 */
export function chooseReading(readings: Readings, shown: Shown): Reading | null {
  const { kind, first } = readings;
  if (kind === "agreed" && shown.isShown(first)) return first;
  if (shown.isWrittenShown) return null;
  if (kind === "several" || kind === "alone") {
    const all = [first, ...readings.others];
    const possible = kind === "alone" ? all : all.filter(shown.isShown);
    const [one] = possible;
    if (one !== undefined && isSameIn(possible) && shown.isShown(one)) return one;
  }
  if (!shown.mayRefute) return null;
  const covered = first.filter((moved) => !isOnlyTraced(moved));
  return shown.mayBeMore || shown.isShown(covered) ? covered : null;
}

function isSameIn(readings: readonly Reading[]): boolean {
  const kinds = new Set(readings.map((one) => one.map(({ identity }) => identity).join()));
  return kinds.size === 1;
}
