import type { Address } from "../chain/address.ts";
import type { MatchedBlock } from "../money/matched-transaction.ts";
import type { AssetAddress } from "../money/movement.ts";
import type { WalletPurpose } from "../money/transaction.ts";
import type { WatchedAsset } from "./watchlist.ts";

/**
 * The verdict on the balance before a wallet's history: with the history, does it add up to the
 * opening balance?
 */
export type HistoryVerdict = "agrees" | "differs" | "unknown";

/** A wallet whose history is not complete yet. */
export type HistoryWallet = {
  id: string;
  businessId: string;
  address: Address;
  purpose: WalletPurpose;
  fromNumber: bigint;
  /** The last block of the history, by asset id. Movements above it were watched. */
  until: ReadonlyMap<number, bigint>;
};

/**
 * The next blocks to read, for all wallets that need them. If `from` is above `to`, all blocks of
 * these wallets are read.
 */
export type HistoryPlan = {
  from: bigint;
  to: bigint;
  wallets: HistoryWallet[];
  assets: WatchedAsset[];
};

/** The last wallet of a plan, by its first missing block. The next plan begins after it. */
export type HistoryCursor = { number: bigint; walletId: string };

/**
 * The plan after a cursor. `nothing`: no history lacks a confirmed block. `not_now`: the chain has
 * not started, or a reorg is being replayed. `next` null: no incomplete history follows.
 */
export type PlannedHistory =
  | { kind: "planned"; plan: HistoryPlan; next: HistoryCursor | null }
  | { kind: "nothing"; next: HistoryCursor | null }
  | { kind: "not_now"; next: null };

/** The blocks of a plan that were read, without those that have no movement. */
export type HistoryStretch = {
  chainName: string;
  plan: Pick<HistoryPlan, "from" | "to" | "wallets">;
  blocks: readonly MatchedBlock[];
};

export type StretchOutcome =
  | { kind: "recorded"; transactions: number }
  /** A block has left the chain, or the histories are no longer as planned. Nothing was written. */
  | { kind: "moved" };

/** The sum of a wallet's history in one asset, and its opening balance, in atomic units. */
export type HistorySum = {
  assetId: number;
  assetAddress: AssetAddress;
  opening: bigint;
  sum: bigint;
};

/** A wallet's history that is read from `fromNumber` to its end, the block below `nextNumber`. */
export type ReadHistory = { walletId: string; fromNumber: bigint; nextNumber: bigint };

/**
 * The progress of a wallet's history. If `nextNumber` is above `untilNumber`, all blocks are read.
 * `heldAt`: the block at which the chain's daemon says that a history is held. Null: it says none.
 */
export type HistoryProgress = {
  chainName: string;
  fromNumber: bigint;
  nextNumber: bigint;
  untilNumber: bigint;
  verdict: HistoryVerdict | null;
  heldAt: bigint | null;
};
