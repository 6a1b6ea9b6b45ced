import type { Position } from "../../domain/chain/block.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { ChainSource, TaggedBlock } from "../../domain/watch/chain-source.ts";
import { watchFilterOf } from "../../domain/watch/watch-filter.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import { readTarget, type TargetChain } from "../gate/target-height.ts";
import { createReadAhead, type ReadAhead } from "./read-ahead.ts";

/** Blocks far below the head, which are being read ahead. */
export type Stretch = {
  /** The height to reach: the confirmed one, below which no reorg is expected. */
  target: bigint;
  headNumber: bigint;
  tag: TaggedBlock | null;
  /** The version of the watchlist that the blocks are read for. */
  version: bigint;
  ahead: ReadAhead;
};

/** The length of a stretch that is read whole. One commit takes all of it. */
const wholeBlocks = 128n;

/**
 * Plans the stretch from the position to the confirmed height, if that is more than `farBlocks`
 * away. If it is nearer, returns only the head.
 */
export async function planStretch(
  chain: TargetChain & Pick<ChainSource, "loadRange">,
  from: {
    position: Position;
    policy: ConfirmationPolicy;
    farBlocks: bigint;
    list: Watchlist;
    /**
     * True if every block is read whole, so that any list can be matched with it. Then the stretch
     * is short.
     */
    isWhole: boolean;
  },
): Promise<Stretch | { headNumber: bigint }> {
  const { position, policy, farBlocks, list, isWhole } = from;
  const {
    headNumber,
    tag,
    number: target,
  } = await readTarget(chain, policy, position.number + farBlocks);
  if (target - position.number <= farBlocks) return { headNumber };
  const wholeTo = position.number + wholeBlocks;
  const ahead = createReadAhead(chain, {
    from: position.number + 1n,
    to: isWhole && wholeTo < target ? wholeTo : target,
    watchFilter: isWhole ? null : watchFilterOf(list),
    mayLackTraces: true,
  });
  return { target, headNumber, tag, version: list.version, ahead };
}
