import type { BlockHeader, Hash, Position } from "./block.ts";

/** How far a chain is. */
export type ChainState = {
  name: string;
  genesisHash: Hash | null;
  position: Position | null;
  /** Everything up to here is confirmed; null before the chain has started. */
  confirmedNumber: bigint | null;
  /** While a reorg is being replayed: the height at which it is settled. */
  settleNumber: bigint | null;
  watchVersion: bigint;
  stopped: { code: string; reason: string } | null;
};

/** The first position of a chain: the last header of `window`, which the headers before it lead up to. */
export type ChainStart = {
  chainName: string;
  genesisHash: Hash;
  window: readonly BlockHeader[];
  confirmedNumber: bigint;
};
