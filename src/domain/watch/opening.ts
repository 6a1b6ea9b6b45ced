import type { Hash, Position } from "../chain/block.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { BalanceKey, BalanceQuestion } from "../money/balance.ts";

/** A balance whose amount at the height where watching began has not been read yet. */
export type DueOpening = BalanceKey &
  BalanceQuestion & {
    /** The height above which movements are in the ledger. */
    atNumber: bigint;
    /** That block's hash; null: the window no longer has it. */
    atHash: Hash | null;
  };

/** `next`: the last of them, behind which the next page begins. Null: none is due behind it. */
export type DueOpenings = { due: DueOpening[]; next: BalanceKey | null };

/**
 * A balance as it was read from the chain, in atomic units. The block was the stored one for its
 * height.
 */
export type ReadOpening = DueOpening & {
  amountAtomic: bigint;
  /**
   * The block at which it was read. If that is above `atNumber` because that state was gone, the
   * entries between are taken off.
   */
  readNumber: bigint;
  readHash: Hash;
  proof: BalanceProof;
};

/** The opening balance, in atomic units. Movements above this height are in the ledger. */
export type RecordedOpening = { atNumber: bigint; amountAtomic: bigint };

/**
 * The correction of an opening balance that was read wrong. The chain shows another amount at that
 * very block.
 */
export type OpeningCorrection = BalanceKey & {
  at: Position;
  fromAtomic: bigint;
  toAtomic: bigint;
  proof: BalanceProof;
};
