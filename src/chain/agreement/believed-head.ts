import type { BlockHeader, Position } from "../../domain/chain/block.ts";
import type { ChainHead } from "../../domain/chain/chain-status.ts";
import { faultIn } from "../../domain/fault.ts";
import type { HeadAnswer } from "../../domain/watch/chain-source.ts";
import type { Voters } from "./collect-votes.ts";

type Asking = {
  collect: Voters["witness"];
  header: (number: bigint) => Promise<BlockHeader>;
  /** A block exists if this many hosts have reached it. */
  needed: number;
};

export type BelievedHead = ReturnType<typeof createBelievedHead>;

/**
 * Decides whether to believe the heads that endpoints name. A head is believed if the block can be
 * read, or if enough hosts have reached it. So an invented head delays nothing. Hosts are asked
 * only after a block that should exist could not be read.
 */
export function createBelievedHead({ collect, header, needed }: Asking) {
  /** The lowest height that a head promised and no endpoint could give; null: there is none. */
  let unread: bigint | null = null;
  /** The believed head, if it is lower than the named one; null: named heads are believed. */
  let lower: Position | null = null;

  /**
   * The highest block that hosts have below an unreadable one; null: the named head is believed.
   */
  async function believedBelow(number: bigint): Promise<Position | null> {
    const question = { number, tag: null, isLeaderAsked: true, enough: needed } as const;
    const ballot = await collect(question);
    if (ballot.kind === "alone") return null;
    const positions = ballot.votes.map(({ position }) => position);
    const below = positions.filter((one) => one.number < number);
    const having = positions.length - below.length;
    const [first, ...others] = below;
    if (first === undefined || having >= needed) return null;
    // A host that has the block may be ahead of the others, so reading is tried again.
    if (having > 0) unread = null;
    return others.reduce((high, one) => (one.number > high.number ? one : high), first);
  }

  return {
    /** Passes on a reading of blocks from a height on. Notes if no endpoint could give them. */
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

    /** The named head, or a lower one that can be read. */
    async judge(named: BlockHeader & HeadAnswer): Promise<BlockHeader & HeadAnswer> {
      lower = unread === null || named.number < unread ? null : await believedBelow(unread);
      return lower === null ? named : header(lower.number);
    },

    /** The same for a head that is only shown. */
    shown(named: ChainHead | null): ChainHead | null {
      if (lower === null || named === null || named.number < lower.number) return named;
      return { ...named, number: lower.number };
    },
  };
}
