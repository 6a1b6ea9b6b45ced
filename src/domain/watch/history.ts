import type { Address } from "../chain/address.ts";
import type { MatchedBlock } from "../money/matched-transaction.ts";
import type { AssetAddress } from "../money/movement.ts";
import type { WalletPurpose } from "../money/transaction.ts";
import type { WatchedAsset } from "./watchlist.ts";

/** Whether what a wallet held before its history, and that history, make up its opening balance. */
export type HistoryVerdict = "agrees" | "differs" | "unknown";

/** A wallet whose history is being filled in. */
export type HistoryWallet = {
  id: string;
  businessId: string;
  address: Address;
  purpose: WalletPurpose;
  fromNumber: bigint;
  /** By asset id: up to here history reaches, above it movements were watched. */
  until: ReadonlyMap<number, bigint>;
};

/** The next blocks to read, for all wallets that need them. `from` above `to`: these wallets' blocks are all read. */
export type HistoryPlan = {
  from: bigint;
  to: bigint;
  wallets: HistoryWallet[];
  assets: WatchedAsset[];
};

/** What was read of a plan's blocks, those without a movement left out. */
export type HistoryStretch = {
  chainName: string;
  plan: Pick<HistoryPlan, "from" | "to" | "wallets">;
  blocks: readonly MatchedBlock[];
};

export type StretchOutcome =
  | { kind: "recorded"; transactions: number }
  /** A block has left the chain, or the wallets' histories are no longer as planned. Nothing was written. */
  | { kind: "moved" };

/** What a wallet's history of one asset adds up to, beside its opening balance. In atomic units. */
export type HistorySum = {
  assetId: number;
  assetAddress: AssetAddress;
  opening: bigint;
  sum: bigint;
};

/** How far a wallet's history has come: `nextNumber` above `untilNumber` where all of its blocks are read. */
export type HistoryProgress = {
  chainName: string;
  fromNumber: bigint;
  nextNumber: bigint;
  untilNumber: bigint;
  verdict: HistoryVerdict | null;
};
