import type { Hash, Position } from "../../domain/chain/block.ts";
import type { Ballot } from "../../domain/watch/agreement-gate.ts";

type Asked = Extract<Ballot, { kind: "asked" }>;

/** The votes, compared with the stored blocks. */
export type Tally = {
  /** The highest height that enough of them agree to. Null: none. */
  agreed: bigint | null;
  /** True if at least one vote agrees to exactly this height. */
  isSupported: (number: bigint) => boolean;
  /** True if an endpoint has reached the height, and its block with the asked tag is lower. */
  isTagLower: boolean;
  /** A vote that contradicts a stored block. Null: there is none. */
  dispute: { number: bigint; stored: Hash; other: Hash } | null;
};

/**
 * Compares each vote with the stored block of its height. A vote for a height without a stored hash
 * does not count.
 * @param needed how many have to agree, at least one
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

/** The highest block that an endpoint other than the leading one has. Negative if none answers. */
export function highestOf({ leaderThen, votes }: Asked): bigint {
  return votes
    .filter(({ host }) => host !== leaderThen)
    .reduce((high, { position }) => (position.number > high ? position.number : high), -1n);
}

function disputeOf({ number, hash }: Position, stored: Hash) {
  return { number, stored, other: hash };
}
