import type { BalanceProof } from "../chain/block-proof.ts";
import type { EntryKind } from "./ledger-entry.ts";

/**
 * The block for which balances are asked. `confirmed`: the confirmed block. `block`: the block of
 * that number. `time`: the newest block that is known at that moment.
 */
export type AsOf =
  | { kind: "confirmed" }
  | { kind: "block"; number: bigint }
  | { kind: "time"; time: Date };

/**
 * The balance of a wallet in an asset at a block. Null: the ledger cannot know it, because it was
 * not watched yet, or not read yet.
 */
type BalanceAt = {
  assetCode: string;
  assetDecimals: number;
  amountAtomic: bigint | null;
};

/**
 * `comparedNumber`: ledger and chain were found to agree on the balance up to this block. Null:
 * they have not been compared since the balance began to be watched.
 */
type ComparedBalance = BalanceAt & { comparedNumber: bigint | null };

/**
 * A wallet's balances at one confirmed block. `hash` null: only the block's number is still stored.
 */
export type WalletBalancesAt = {
  walletId: string;
  chainName: string;
  number: bigint;
  hash: string | null;
  balances: ComparedBalance[];
};

/** An entry of the journal about an opening balance. The amount is signed and in atomic units. */
export type OpeningEntry = {
  kind: EntryKind;
  assetCode: string;
  assetDecimals: number;
  amountAtomic: bigint;
  /** Movements above this block are transactions. */
  blockNumber: bigint;
  recordedAt: Date;
  /**
   * The proof of the opening. Null: the entry is no longer the balance's opening, or is older than
   * this record.
   */
  proof: BalanceProof | null;
};
