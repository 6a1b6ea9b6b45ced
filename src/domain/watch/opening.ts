import type { Hash, Position } from "../chain/block.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { BalanceKey, BalanceQuestion } from "../money/balance.ts";

/** A balance whose opening is not read yet. */
export type DueOpening = BalanceKey &
  BalanceQuestion & {
    /** Movements above this height are in the ledger. */
    atNumber: bigint;
    /** The hash of that block; null: the window does not have it any more. */
    atHash: Hash | null;
  };

/** An asset whose balances are being made. `after`: the last address that has its balance. */
export type OpeningAsset = {
  id: number;
  code: string;
  chainName: string;
  changeId: string;
  after: string;
};

/**
 * The next balances of an asset to make, in the order of their addresses. They are due then.
 * `after`: the last of these addresses. Null: none follows.
 */
export type NextBalances = { asset: OpeningAsset; due: DueOpening[]; after: string | null };

/**
 * `next`: the last balance of the page, after which the next page begins. Null: none is due after
 * it.
 */
export type DueOpenings = { due: DueOpening[]; next: BalanceKey | null };

/**
 * A balance that was read from the chain, in atomic units. The block was the stored one at its
 * height.
 */
export type ReadOpening = DueOpening & {
  amountAtomic: bigint;
  /**
   * The block at which it was read. If that is above `atNumber`, because the state there was gone,
   * the entries in between are subtracted.
   */
  readNumber: bigint;
  readHash: Hash;
  proof: BalanceProof;
};

/** The opening balance, in atomic units. Movements above this height are in the ledger. */
export type RecordedOpening = { atNumber: bigint; amountAtomic: bigint };

/**
 * Corrects an opening balance that was wrong: the chain shows another amount at that very block.
 */
export type OpeningCorrection = BalanceKey & {
  at: Position;
  fromAtomic: bigint;
  toAtomic: bigint;
  proof: BalanceProof;
};
