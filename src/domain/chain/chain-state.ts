import type { BlockHeader, Hash, Position } from "./block.ts";

/** The progress of a chain. */
export type ChainState = {
  name: string;
  genesisHash: Hash | null;
  position: Position | null;
  /** Everything up to this block is confirmed; null before the chain has started. */
  confirmedNumber: bigint | null;
  /** The height at which a reorg is settled, while the reorg is being replayed; else null. */
  settleNumber: bigint | null;
  watchVersion: bigint;
  stopped: { code: string; reason: string } | null;
};

/**
 * Work of a watcher beside new blocks. True: some may be there. False: none is that any process has
 * committed.
 */
export type WaitingWork = {
  /** Balances to be made, or to be opened. */
  openings: boolean;
  histories: boolean;
  sightings: boolean;
  /** Movements without a proof. */
  unproven: boolean;
};

/** A chain's state and what waits there, as one look at the ledger finds them. */
export type FoundState = ChainState & { waiting: WaitingWork };

/**
 * The first position of a chain: the last header of `window`. The headers before it lead up to it.
 */
export type ChainStart = {
  chainName: string;
  genesisHash: Hash;
  window: readonly BlockHeader[];
  confirmedNumber: bigint;
};
