import type { Hash, Position } from "../chain/block.ts";
import type { BalanceProof } from "../chain/block-proof.ts";
import type { BalanceKey, BalanceQuestion } from "../money/balance.ts";

/** A balance whose amount at the height where watching began has not been read yet. */
export type DueOpening = BalanceKey &
  BalanceQuestion & {
    /** The height: movements above it are in the ledger. */
    atNumber: bigint;
    /** That block's hash, or null where the window no longer has it. */
    atHash: Hash | null;
  };

/** A balance as read from the chain, at a block that was the stored one for its height. In atomic units. */
export type ReadOpening = DueOpening & {
  amountAtomic: bigint;
  /** Where it was read. Above `atNumber` (that state was gone), the entries between are taken off. */
  readNumber: bigint;
  readHash: Hash;
  proof: BalanceProof;
};

/** What a balance began with, in atomic units: above this height its movements are in the ledger. */
export type RecordedOpening = { atNumber: bigint; amountAtomic: bigint };

/** What a balance began with is another amount than was read: the chain shows it at that very block. */
export type OpeningCorrection = BalanceKey & {
  at: Position;
  fromAtomic: bigint;
  toAtomic: bigint;
  proof: BalanceProof;
};
