import type { Address } from "../chain/address.ts";
import type { WalletPurpose } from "../money/transaction.ts";
import type { HistoryVerdict } from "./history.ts";

/**
 * `syncing`: an opening balance has not been read yet. GET /balance leaves out the wallet's
 * balance of that asset.
 * `leaving`: it was removed with money, and is watched until it is empty.
 */
export const walletStatuses = ["syncing", "watched", "leaving"] as const;

type WalletStatus = (typeof walletStatuses)[number];

export const walletPurposes = ["deposit", "payment"] as const satisfies WalletPurpose[];

/** Wallets that one call may add: all of them or none. */
export const maxWalletsPerCall = 10_000;

/** The same for a call of a business. It may call often, and each call moves the list of all. */
export const maxOwnWalletsPerCall = 100;

/** A wallet to be watched. */
export type NewWallet = {
  chainName: string;
  address: Address;
  purpose: WalletPurpose;
  label: string | null;
  reference: string | null;
  /** The first block of the history that is filled in; null: the wallet has no history. */
  fromBlock: bigint | null;
};

export type Wallet = NewWallet & {
  id: string;
  businessId: string;
  /** Codes of the chain's configured assets, its own coin first. */
  currencies: string[];
  status: WalletStatus;
  /**
   * The state of its history: it is being filled in, or has a verdict. Null: the wallet has none.
   */
  history: HistoryVerdict | "filling" | null;
  createdAt: Date;
};

/** The outcome of a removal. Null `removedAt`: the wallet is leaving, and watched until then. */
export type Removal = { leavingAt: Date | null; removedAt: Date | null };

/** The wallets that are asked for. A field that is left out does not matter. */
export type WalletFilter = {
  id?: string;
  businessId?: string;
  chainName?: string;
  address?: Address;
  reference?: string;
  label?: string;
  status?: WalletStatus;
  /** A part of its reference or label, or the beginning of its address, in any case. */
  named?: string;
};
