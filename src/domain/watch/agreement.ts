import type { Address } from "../chain/address.ts";
import { type LoadedBlock, type Movement, nativeAddress } from "../money/movement.ts";

/**
 * The answers of hosts to one question, one for each host, in the order in which they came.
 * `silent`: hosts that could answer, and did not. `refused`: hosts that answered such questions
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
 * - `agreed`: the required number of hosts agree, or all that can answer and at least two. `also`:
 *   the other equal answers.
 * - `alone`: no other host can be asked.
 * - `silent`: the `hosts` have not answered.
 * - `refused`: a host refuses what it answered before. That must not count as silence.
 * - `disputed`: the hosts answer differently.
 */
type Verdict<T> =
  | { kind: "agreed"; value: T; also: readonly T[] }
  | { kind: "silent"; hosts: readonly string[] }
  | { kind: "alone" | "refused" | "disputed" };

/**
 * The number of hosts that must agree, and the rule by which two answers agree. That need not be
 * transitive.
 */
export type AgreementRule<T> = { needed: number; isSame: (one: T, other: T) => boolean };

/** Decides whether hosts agree. Nothing else decides it. */
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
 * - `other_amounts`: other hosts show other amounts, so the balances can decide. `others`: all
 *   answers except the first.
 */
export type MovesVerdict =
  | { kind: "agreed"; block: LoadedBlock }
  | { kind: "other_amounts"; others: readonly LoadedBlock[] }
  | { kind: "silent"; hosts: readonly string[] }
  | { kind: "alone" | "refused" | "disputed" };

/**
 * Compares what hosts show of one wallet. If the block's hash covers every part of the block, one
 * host is enough.
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
 * A wallet's moves as text, in order of execution. The place in the call tree is left out, because
 * clients count calls of precompiled contracts differently.
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

/** The wallet's movements of the coin without a log. */
function coinOf({ movements }: LoadedBlock, wallet: Address): Movement[] {
  return movements.filter(
    ({ asset, logIndex, amountAtomic, from, to }) =>
      asset === nativeAddress &&
      logIndex === null &&
      amountAtomic > 0n &&
      (from === wallet || to === wallet),
  );
}
