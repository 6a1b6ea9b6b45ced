import type { BalanceProof } from "../chain/block-proof.ts";
import type { EntryKind } from "./ledger-entry.ts";

/** The block for which balances are asked: the confirmed one, one by its number, or the newest known one at a moment. */
export type AsOf =
  | { kind: "confirmed" }
  | { kind: "block"; number: bigint }
  | { kind: "time"; time: Date };

/** What a wallet held of an asset at a block. Null: the ledger cannot know it (it was not watched yet, or not read yet). */
type BalanceAt = {
  assetCode: string;
  assetDecimals: number;
  amountAtomic: bigint | null;
};

/**
 * `comparedNumber`: up to this block ledger and chain were found to say the same of it. Null: they have not been compared since it
 * began to be watched.
 */
type ComparedBalance = BalanceAt & { comparedNumber: bigint | null };

/** A wallet's balances at one confirmed block. `hash` null: only its number is still stored. */
export type WalletBalancesAt = {
  walletId: string;
  chainName: string;
  number: bigint;
  hash: string | null;
  balances: ComparedBalance[];
};

/** An entry of the journal about what a wallet held when it began to be watched. Signed, in atomic units. */
export type OpeningEntry = {
  kind: EntryKind;
  assetCode: string;
  assetDecimals: number;
  amountAtomic: bigint;
  /** Movements above it are transactions. */
  blockNumber: bigint;
  recordedAt: Date;
  /** What shows the opening; null: it is not the balance's any more, or is of before this was kept. */
  proof: BalanceProof | null;
};
