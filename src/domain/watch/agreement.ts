import type { Address } from "../chain/address.ts";
import { type LoadedBlock, type Movement, nativeAddress } from "../money/movement.ts";

/**
 * The answers of hosts to one question, one value each, the first answer first. `silent`: the hosts
 * that could answer and have not answered. `refused`: the hosts that answered such questions
 * before, and refuse this one.
 */
export type Answers<T> = {
  values: readonly T[];
  silent: readonly string[];
  refused?: readonly string[];
};

/**
 * The result of comparing answers.
 *
 * - `agreed`: as many hosts as the rule needs say the same, or all that can answer, at least two.
 *   `also` holds the other answers that are the same.
 * - `alone`: nobody else can be asked.
 * - `silent`: others, the `hosts`, have not answered.
 * - `refused`: a host refuses what it answered before. Nobody may pass that over as silence.
 * - `disputed`: the hosts say different things.
 */
type Verdict<T> =
  | { kind: "agreed"; value: T; also: readonly T[] }
  | { kind: "silent"; hosts: readonly string[] }
  | { kind: "alone" | "refused" | "disputed" };

/**
 * The number of hosts that must say the same, and the comparison of two answers, which need not be
 * transitive.
 */
export type AgreementRule<T> = { needed: number; isSame: (one: T, other: T) => boolean };

/** The one place that decides whether hosts agree. */
export function judge<T>(
  { values, silent, refused = [] }: Answers<T>,
  rule: AgreementRule<T>,
): Verdict<T> {
  const isWhole = silent.length + refused.length === 0;
  const isOpen: Verdict<T> =
    refused.length > 0 ? { kind: "refused" } : { kind: "silent", hosts: silent };
  const groups = values.map((value) => ({
    value,
    also: values.filter((other) => other !== value && rule.isSame(value, other)),
  }));
  const [first, ...others] = groups;
  if (first === undefined) return isOpen;
  if (others.length === 0) return isWhole ? { kind: "alone" } : isOpen;
  const most = others.reduce(
    (most, one) => (one.also.length > most.also.length ? one : most),
    first,
  );
  const count = most.also.length + 1;
  const isUnanimous = count === values.length;
  if (count >= rule.needed || (isUnanimous && isWhole)) return { kind: "agreed", ...most };
  return isUnanimous ? isOpen : { kind: "disputed" };
}

/**
 * The result of comparing what hosts show of a wallet's moves of the coin in a block.
 *
 * - `agreed`: `block` has the moves.
 * - `disputed`: another host shows the same amounts with another party.
 * - `other_amounts`: the hosts that answer show other amounts. The balances can tell these from the
 *   first ones. `others` are the answers beside the first.
 */
export type MovesVerdict =
  | { kind: "agreed"; block: LoadedBlock }
  | { kind: "other_amounts"; others: readonly LoadedBlock[] }
  | { kind: "silent"; hosts: readonly string[] }
  | { kind: "alone" | "refused" | "disputed" };

/**
 * Compares what hosts show of one wallet. If the block's hash covers every part of a block, nobody
 * else is needed.
 */
export function judgeMoves(
  answers: Answers<LoadedBlock>,
  needed: number,
  wallet: Address,
): MovesVerdict {
  const [first, ...others] = answers.values;
  if (first !== undefined && first.evidence.traces !== "answered")
    return { kind: "agreed", block: first };
  const moves = new Map(answers.values.map((block) => [block, movesOf(block, wallet)]));
  const isSame = (one: LoadedBlock, other: LoadedBlock) => moves.get(one) === moves.get(other);
  const verdict = judge(answers, { needed, isSame });
  if (verdict.kind === "agreed") return { kind: "agreed", block: verdict.value };
  if (verdict.kind !== "disputed" || first === undefined) return verdict;
  const sum = sumOf(first, wallet);
  const isOfParty = others.some((block) => sumOf(block, wallet) === sum);
  return isOfParty ? { kind: "disputed" } : { kind: "other_amounts", others };
}

/**
 * The moves of a wallet as text, in order of execution. The place in the call tree is left out,
 * because clients count calls of precompiled contracts differently.
 */
function movesOf(block: LoadedBlock, wallet: Address): string {
  return coinOf(block, wallet)
    .map(({ kind, txHash, from, to, amountAtomic }) => [kind, txHash, from, to, amountAtomic])
    .join(";");
}

function sumOf(block: LoadedBlock, wallet: Address): bigint {
  return coinOf(block, wallet).reduce((sum, { from, to, amountAtomic }) => {
    const received = to === wallet ? amountAtomic : 0n;
    return sum + received - (from === wallet ? amountAtomic : 0n);
  }, 0n);
}

/** The movements of the coin that have no log. */
function coinOf({ movements }: LoadedBlock, wallet: Address): Movement[] {
  return movements.filter(
    ({ asset, logIndex, amountAtomic, from, to }) =>
      asset === nativeAddress &&
      logIndex === null &&
      amountAtomic > 0n &&
      (from === wallet || to === wallet),
  );
}
