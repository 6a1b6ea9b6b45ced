import type { Position } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { Spans } from "../../domain/spans.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { Written } from "../../domain/watch/commit.ts";
import { type WatchFilter, watchFilterOf } from "../../domain/watch/watch-filter.ts";
import type {
  BalanceLedger,
  CatchUpLedger,
  HeadLedger,
} from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { StepResult } from "../../runtime/loop.ts";
import type { CatchUp } from "../catch-up/catch-up.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import type { Holder } from "./next/holder.ts";

// What a step of one chain works with.

export type BlockChain = Omit<ChainSource, "status" | "onAnnounced" | "close">;

export type BlockLedger = Omit<HeadLedger, "writeReading" | "noteLag"> &
  CatchUpLedger &
  Pick<BalanceLedger, "recordDiscrepancies">;

export type BlockStepOptions = {
  chainName: string;
  chainId: number;
  startBlock: bigint | null;
  policy: ConfirmationPolicy;
  /** A position this far below its confirmed height is caught up by ranges; left out: `usualFarBlocks`. */
  farBlocks?: bigint;
};

export type Ports = {
  chain: BlockChain;
  gate: WitnessGate;
  ledger: BlockLedger;
  log: Logger;
  spans: Spans;
  /** Called with what each commit has written. */
  onCommitted: (committed: Pick<Written, "recorded" | "notified">) => void;
  /** Called when the chain goes on: its position has moved, or nothing is there to be read. */
  onProgress: () => void;
  clock: Clock;
};

/**
 * What is remembered between two steps of one chain. All of it can be forgotten at any time: whatever is written on it is
 * written only where the ledger's position is still that one.
 */
export type Memory = {
  list: Watchlist | null;
  knownHead: bigint | null;
  /** Where the last step left the chain: the block after it can be asked for while the ledger is still being read. */
  position: Position | null;
  /** What the last commit has made of the chain: until `untilMs` the ledger is not asked for it. */
  left: { state: ChainState; untilMs: number } | null;
  confirmedNumber: bigint | null;
  isIdentified: boolean;
  /** After a change of what is watched, the next block is read whole: it can be matched with any list. */
  isWhole: boolean;
};

export function emptyMemory(): Memory {
  return {
    ...{ list: null, knownHead: null, position: null, left: null, confirmedNumber: null },
    ...{ isIdentified: false, isWhole: false },
  };
}

/** What the next block is looked through for; null: it is read whole. */
export function filterOf({ list, isWhole }: Memory): WatchFilter | null {
  return list === null || isWhole ? null : watchFilterOf(list);
}

/** What a commit leaves. A reorganisation that is being replayed, or a stop, is looked at anew each time. */
export function leave(state: ChainState, untilMs: number): Memory["left"] {
  return state.settleNumber === null && state.stopped === null ? { state, untilMs } : null;
}

/** What the last commit left, where that was just now. */
export function leftAt({ left }: Memory, nowMs: number): ChainState | null {
  return left !== null && nowMs < left.untilMs ? left.state : null;
}

export type Step = {
  ports: Ports;
  options: BlockStepOptions;
  memory: Memory;
  holder: Holder;
  catchUp: CatchUp;
};

export type BlockStep = {
  /**
   * Starts the chain, moves it one block on (far behind, many), or goes back to where a reorg began. Safe to repeat
   * at any time.
   */
  run: () => Promise<StepResult>;
  /** Asks the endpoint which chain it serves, before any answer of it is used. */
  identify: () => Promise<void>;
  isIdentified: () => boolean;
  /** After a failure: nothing that the endpoint answered before is relied on. */
  distrust: () => void;
};
