import type { BalanceProof } from "../chain/block-proof.ts";
import type { EntryKind } from "./ledger-entry.ts";

/**
 * The block of the wanted balances. `confirmed`: the confirmed block. `block`: the block of that
 * number. `time`: the newest known block at that moment.
 */
export type AsOf =
  | { kind: "confirmed" }
  | { kind: "block"; number: bigint }
  | { kind: "time"; time: Date };

/**
 * The balance of a wallet in an asset at a block. Null: the ledger cannot know it, because the
 * balance was not watched or not read yet.
 */
type BalanceAt = {
  assetCode: string;
  assetDecimals: number;
  amountAtomic: bigint | null;
};

/**
 * `comparedNumber`: ledger and chain agreed on the balance up to this block. Null: it was not
 * compared since its watching began.
 */
type ComparedBalance = BalanceAt & { comparedNumber: bigint | null };

/** A wallet's balances at one confirmed block. `hash` null: only the block's number is stored. */
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
   * The proof of the opening. Null: the entry is no longer the balance's opening, or was written
   * before proofs were stored.
   */
  proof: BalanceProof | null;
};
