import type { BlockHeader, Position } from "../../domain/chain/block.ts";
import type { ChainHead } from "../../domain/chain/chain-status.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Ballot, HeadAnswer, VoteQuestion } from "../../domain/watch/chain-source.ts";

type Asking = {
  collect: (question: VoteQuestion) => Promise<Ballot>;
  header: (number: bigint) => Promise<BlockHeader>;
  /** The number of hosts that have to come to a block for it to be there. */
  needed: number;
};

export type BelievedHead = ReturnType<typeof createBelievedHead>;

/**
 * Judges the heads that endpoints name. A head is a block that can be read, or that enough hosts
 * have come to. So a head that one endpoint invents keeps nothing waiting. Hosts are asked only
 * where a block that should be there could not be read.
 */
export function createBelievedHead({ collect, header, needed }: Asking) {
  /** The lowest height that a head promised, and that nobody could give. Null: there is none. */
  let unread: bigint | null = null;
  /** The head that was believed in place of a higher one. Null: heads are as they are named. */
  let lower: Position | null = null;

  /** The highest block that is there instead; null: the head is believed. */
  async function believedBelow(number: bigint): Promise<Position | null> {
    const question = { number, tag: null, isLeaderAsked: true, enough: needed } as const;
    const ballot = await collect(question);
    if (ballot.kind === "alone") return null;
    const positions = ballot.votes.map(({ position }) => position);
    const below = positions.filter((one) => one.number < number);
    const having = positions.length - below.length;
    const [first, ...others] = below;
    if (first === undefined || having >= needed) return null;
    // A host that has the block may be ahead of the others: the block is tried again in turn.
    if (having > 0) unread = null;
    return others.reduce((high, one) => (one.number > high.number ? one : high), first);
  }

  return {
    /** The answer of a question for blocks from a height on. Notes that nobody could give them. */
    async reading<Answer>(from: bigint, asked: Promise<Answer>): Promise<Answer> {
      try {
        const answer = await asked;
        if (unread !== null && from >= unread) unread = null;
        return answer;
      } catch (error) {
        if (faultIn(error) !== undefined && (unread === null || from < unread)) unread = from;
        throw error;
      }
    },

    /** The head as it is named, or a lower one that can be read. */
    async judge(named: BlockHeader & HeadAnswer): Promise<BlockHeader & HeadAnswer> {
      lower = unread === null || named.number < unread ? null : await believedBelow(unread);
      return lower === null ? named : header(lower.number);
    },

    /** The same of a head that only informs. */
    shown(named: ChainHead | null): ChainHead | null {
      if (lower === null || named === null || named.number < lower.number) return named;
      return { ...named, number: lower.number };
    },
  };
}
