import { isOnlyTraced, type MatchedTransaction } from "../domain/money/matched-transaction.ts";

/** The movements of one balance in a block, as a host reads them. */
type Reading = MatchedTransaction[];

/**
 * The readings of one balance in a block.
 *
 * - `agreed`: enough hosts read this.
 * - `several`: hosts read other amounts.
 * - `alone`: the chain's only host has read it twice.
 * - `open`: others are silent, or show other parties of the same amounts.
 */
export type Readings =
  | { kind: "agreed" | "open"; first: Reading }
  | { kind: "several" | "alone"; first: Reading; others: readonly Reading[] };

/** The findings from the balance before and after the block. */
type Shown = {
  /**
   * True if the state root or enough hosts show it, and what is written waits for no proof. Such a
   * balance takes back what was believed. A movement that waits goes on waiting.
   */
  mayRefute: boolean;
  /** True if what is written adds up to it. */
  isWrittenShown: boolean;
  /** True if a reading adds up to it. */
  isShown: (reading: Reading) => boolean;
  /** True if the block may move more than the readings show: it is read without traces. */
  mayBeMore: boolean;
};

/**
 * The one place that decides which reading of a block replaces what is written of a balance. Null:
 * none does.
 *
 * A reading must add up to the balance's change. The reading of enough hosts comes first, then what
 * is written. The balances choose among other amounts, and never among other parties. A proved
 * balance refutes the traces that were believed and do not add up to it, whoever goes on showing
 * them. Then only what the block's hash covers is left.
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
