import type { BlockHeader, Hash, Position } from "./block.ts";

/** The progress of a chain. */
export type ChainState = {
  name: string;
  genesisHash: Hash | null;
  position: Position | null;
  /** Everything up to this block is confirmed; null before the chain has started. */
  confirmedNumber: bigint | null;
  /** While a reorg is replayed: the height at which it is settled; else null. */
  settleNumber: bigint | null;
  watchVersion: bigint;
  /**
   * The number of times that confirmed blocks of the chain were undone, by a reorg, a rewind or a
   * reset. Two equal numbers say that all blocks which were confirmed at the first are still there.
   */
  undos: number;
  stopped: { code: string; reason: string } | null;
};

/**
 * Work of a watcher besides new blocks. True: there may be some. False: no process has committed
 * any.
 */
export type WaitingWork = {
  /** Balances that must be made or opened. */
  openings: boolean;
  histories: boolean;
  sightings: boolean;
  /** Movements that wait for their proof. */
  unproven: boolean;
};

/** A chain's state and its waiting work, read together. */
export type FoundState = ChainState & { waiting: WaitingWork };

/**
 * The first position of a chain is the last header of `window`. The headers before it are its
 * ancestors.
 */
export type ChainStart = {
  chainName: string;
  genesisHash: Hash;
  window: readonly BlockHeader[];
  confirmedNumber: bigint;
};

/**
 * Since when a wallet has waited for its chain's first position, and the time now. Both are ms by
 * PostgreSQL's clock.
 */
export type StartWait = { sinceMs: number; nowMs: number };
