import type { Hash, Position } from "../../domain/chain/block.ts";
import type { Ballot } from "../../domain/watch/chain-source.ts";

type Asked = Extract<Ballot, { kind: "asked" }>;

/** The result of votes, compared with the blocks that are stored. */
export type Tally = {
  /** The highest height that enough of them agree to; null: to none. */
  agreed: bigint | null;
  /** True if any of the votes agrees to that very height. */
  isSupported: (number: bigint) => boolean;
  /**
   * True if an endpoint has come as far, and does not call the block there by the tag that was
   * asked for.
   */
  isTagLower: boolean;
  /** A vote that contradicts what is stored; null: there is none. */
  dispute: { number: bigint; stored: Hash; other: Hash } | null;
};

/**
 * Compares each vote with the stored block of its height. One for whose height no hash is stored
 * says nothing. `needed`: how many have to agree, at least one.
 */
export async function countVotes(
  { votes, otherChain }: Asked,
  needed: number,
  hashAt: (number: bigint) => Promise<Hash | null>,
): Promise<Tally> {
  const agreeing: bigint[] = [];
  let dispute: Tally["dispute"] = otherChain;
  for (const { position } of votes) {
    const stored = await hashAt(position.number);
    if (stored === null) continue;
    if (stored === position.hash) agreeing.push(position.number);
    else dispute ??= disputeOf(position, stored);
  }
  agreeing.sort((a, b) => Number(b - a));
  return {
    agreed: agreeing[needed - 1] ?? null,
    isSupported: (number) => agreeing.includes(number),
    isTagLower: votes.some((one) => one.isTagLower),
    dispute,
  };
}

/**
 * The highest height that an endpoint beside the leading one has come to; below every height where
 * none answers.
 */
export function highestOf({ leaderThen, votes }: Asked): bigint {
  return votes
    .filter(({ host }) => host !== leaderThen)
    .reduce((high, { position }) => (position.number > high ? position.number : high), -1n);
}

function disputeOf({ number, hash }: Position, stored: Hash) {
  return { number, stored, other: hash };
}
