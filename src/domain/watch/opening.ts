import type { Hash } from "../chain/block.ts";
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
};
