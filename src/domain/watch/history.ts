import type { Address } from "../chain/address.ts";
import type { MatchedBlock } from "../money/matched-transaction.ts";
import type { AssetAddress } from "../money/movement.ts";
import type { WalletPurpose } from "../money/transaction.ts";
import type { WatchedAsset } from "./watchlist.ts";

/**
 * Says whether the balance before a wallet's history, and that history, make up the opening
 * balance.
 */
export type HistoryVerdict = "agrees" | "differs" | "unknown";

/** A wallet whose history is being filled in. */
export type HistoryWallet = {
  id: string;
  businessId: string;
  address: Address;
  purpose: WalletPurpose;
  fromNumber: bigint;
  /** The end of the history by asset id. Above this block, movements were watched. */
  until: ReadonlyMap<number, bigint>;
};

/**
 * The next blocks to read, for all wallets that need them. If `from` is above `to`, these wallets'
 * blocks are all read.
 */
export type HistoryPlan = {
  from: bigint;
  to: bigint;
  wallets: HistoryWallet[];
  assets: WatchedAsset[];
};

/** The last wallet of a plan, by the block that it lacks first. The next plan begins behind it. */
export type HistoryCursor = { number: bigint; walletId: string };

/**
 * The plan behind a cursor. `nothing`: no history lacks a block that is confirmed. `not_now`: the
 * chain has not started, or a reorg is being replayed. `next` null: no history is open behind it.
 */
export type PlannedHistory =
  | { kind: "planned"; plan: HistoryPlan; next: HistoryCursor | null }
  | { kind: "nothing"; next: HistoryCursor | null }
  | { kind: "not_now"; next: null };

/** The blocks of a plan that were read, without those that hold no movement. */
export type HistoryStretch = {
  chainName: string;
  plan: Pick<HistoryPlan, "from" | "to" | "wallets">;
  blocks: readonly MatchedBlock[];
};

export type StretchOutcome =
  | { kind: "recorded"; transactions: number }
  /**
   * A block has left the chain, or the wallets' histories are no longer as planned. Nothing was
   * written.
   */
  | { kind: "moved" };

/** The sum of a wallet's history of one asset, and its opening balance, in atomic units. */
export type HistorySum = {
  assetId: number;
  assetAddress: AssetAddress;
  opening: bigint;
  sum: bigint;
};

/**
 * The progress of a wallet's history. `nextNumber` is above `untilNumber` if all of its blocks are
 * read.
 */
export type HistoryProgress = {
  chainName: string;
  fromNumber: bigint;
  nextNumber: bigint;
  untilNumber: bigint;
  verdict: HistoryVerdict | null;
};
