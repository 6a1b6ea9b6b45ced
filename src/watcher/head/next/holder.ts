import type { Position } from "../../../domain/chain/block.ts";
import type { ChainState } from "../../../domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../../domain/chain/confirmation.ts";
import type { ChainSource } from "../../../domain/watch/chain-source.ts";
import type { RangeBlock } from "../../../domain/watch/watch-filter.ts";
import type { HeadLedger } from "../../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../../domain/watch/watchlist.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { matchMovements } from "../../match-movements.ts";
import { append, confirmsPending, type HeldBlocks, isSoon, mayWaitMs } from "./held-blocks.ts";
import type { NextBlock } from "./next-block.ts";

/** What blocks are to be written on. */
export type WrittenOn = { state: ChainState & { position: Position }; list: Watchlist };

/** Blocks that are not written yet, what they are to be written on, and what was asked beside the last of them. */
export type Holding = { held: HeldBlocks; on: WrittenOn; last: Omit<NextBlock, "block"> };

export type Holder = ReturnType<typeof createHolder>;

/** Keeps blocks back that come at once and hold nothing of ours, so that they share a commit. */
export function createHolder(
  ports: {
    chain: Pick<ChainSource, "announcedHead">;
    ledger: Pick<HeadLedger, "readOldestPending">;
    clock: Clock;
  },
  options: { chainName: string; policy: ConfirmationPolicy },
) {
  const { chain, ledger, clock } = ports;
  const { chainName, policy } = options;
  let holding: Holding | null = null;
  let lastReadMs: number | null = null;

  /** Null: it is to be written now. */
  async function held(on: WrittenOn, { block, last, isNewest }: Read): Promise<HeldBlocks | null> {
    const now = clock.elapsed();
    const isTogether = isSoon(lastReadMs, now);
    lastReadMs = now;
    if (!isTogether || on.state.settleNumber !== null) return null;
    // Where nobody announces the next block, this one would only wait until the head is asked for again.
    if (isNewest && chain.announcedHead() === null) return null;
    if (matchMovements(chainName, block, on.list).length > 0) return null;
    const before = holding?.held ?? {
      ...{ tag: last.tag, sinceMs: now, blocks: [] },
      oldestPending: await ledger.readOldestPending(chainName),
    };
    const at = { tip: block.header, policy, tag: before.tag };
    if (confirmsPending(before.oldestPending, at)) return null;
    const after = { ...before, blocks: append(before.blocks, block), lastMs: now };
    return mayWaitMs(after, now) > 0 ? after : null;
  }

  return {
    /** What is held; null: everything that was read is written, or about to be. */
    now: (): Holding | null => holding,

    /** Keeps a block back where it need not be written at once. Answers for how many ms; null: it is to be written now. */
    async hold(on: WrittenOn, read: Read): Promise<number | null> {
      const more = await held(on, read);
      if (more === null) return null;
      holding = { held: more, on, last: read.last };
      return mayWaitMs(more, clock.elapsed());
    },

    /** Nothing is held any more: it is written, or read again. */
    drop(): void {
      holding = null;
    },
  };
}

/** A block that follows what is held, and whether no later one is known. */
type Read = { block: RangeBlock; last: Holding["last"]; isNewest: boolean };
