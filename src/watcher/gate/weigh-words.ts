import type { Hash, Position } from "../../domain/chain/block.ts";
import type { Witness, Word } from "../../domain/watch/chain-source.ts";

/** What words come to, held against the blocks that are stored. */
export type Weighed = {
  /** The highest height that enough of them agree to; null: to none. */
  agreed: bigint | null;
  /** Whether any of them agrees to that very height. */
  isSupported: (number: bigint) => boolean;
  /** Whether one of them has come as far, and does not call the block there by the tag that was asked for. */
  isTagLower: boolean;
  /** A word that contradicts what is stored; null: there is none. */
  dispute: { number: bigint; stored: Hash; other: Hash } | null;
};

/**
 * Holds each word against the stored block of its height. One for whose height no hash is stored says nothing.
 * `needed`: how many have to agree, at least one.
 */
export async function weighWords(
  words: readonly Word[],
  needed: number,
  hashAt: (number: bigint) => Promise<Hash | null>,
): Promise<Weighed> {
  const agreeing: bigint[] = [];
  let dispute: Weighed["dispute"] = null;
  for (const { position } of words) {
    const stored = await hashAt(position.number);
    if (stored === null) continue;
    if (stored === position.hash) agreeing.push(position.number);
    else dispute ??= disputeOf(position, stored);
  }
  agreeing.sort((a, b) => Number(b - a));
  return {
    agreed: agreeing[needed - 1] ?? null,
    isSupported: (number) => agreeing.includes(number),
    isTagLower: words.some((one) => one.isTagLower),
    dispute,
  };
}

/** The highest height that an endpoint beside the leading one has come to; below every height where none answers. */
export function heardOf({ beside, words }: Extract<Witness, { kind: "asked" }>): bigint {
  return words
    .filter(({ endpoint }) => endpoint !== beside)
    .reduce((high, { position }) => (position.number > high ? position.number : high), -1n);
}

function disputeOf({ number, hash }: Position, stored: Hash) {
  return { number, stored, other: hash };
}
