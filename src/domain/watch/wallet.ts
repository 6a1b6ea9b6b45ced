import type { Address } from "../chain/address.ts";
import type { WalletPurpose } from "../money/transaction.ts";
import type { HistoryVerdict } from "./history.ts";

/**
 * `syncing`: an opening balance is not read yet, and GET /balance leaves that balance out.
 * `leaving`: it was removed with money, and is watched until it is empty.
 */
export const walletStatuses = ["syncing", "watched", "leaving"] as const;

type WalletStatus = (typeof walletStatuses)[number];

export const walletPurposes = ["deposit", "payment"] as const satisfies WalletPurpose[];

/** The most wallets that one call may add, all or none. */
export const maxWalletsPerCall = 10_000;

/**
 * The same for a call by a business. It may call often, and each call changes the watchlist of
 * everybody.
 */
export const maxOwnWalletsPerCall = 100;

/** A wallet to be watched. */
export type NewWallet = {
  chainName: string;
  address: Address;
  purpose: WalletPurpose;
  label: string | null;
  reference: string | null;
  /** The first block of its history; null: it has no history. */
  fromBlock: bigint | null;
};

export type Wallet = NewWallet & {
  id: string;
  businessId: string;
  /** The codes of the chain's configured assets, the coin first. */
  currencies: string[];
  status: WalletStatus;
  /** The state of its history: `filling`, or its verdict. Null: it has none. */
  history: HistoryVerdict | "filling" | null;
  createdAt: Date;
};

/** The outcome of a removal. `removedAt` null: the wallet is leaving, and still watched. */
export type Removal = { leavingAt: Date | null; removedAt: Date | null };

/** The wanted wallets. A field that is left out matches everything. */
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
  /** Added at or after `from`, and before `to`. */
  from?: Date;
  to?: Date;
};
