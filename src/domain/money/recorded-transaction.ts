import type { PageRequest } from "../page.ts";
import type { MovementProof } from "./movement.ts";
import {
  type Direction,
  isOnChain,
  type TransactionStatus,
  type TransactionType,
} from "./transaction.ts";

/** The fields of a transaction in a list. */
export type ListedTransaction = {
  id: string;
  type: TransactionType;
  amountAtomic: bigint;
  assetCode: string;
  assetDecimals: number;
  status: TransactionStatus;
  /** True if an unsettled reorg has undone it. */
  isOrphaned: boolean;
  walletId: string;
  chainName: string;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** The fields that a payment on Tempo carries (see TransferTag). */
  memo: string | null;
  virtualAddress: string | null;
  /** The address that the sender imitates: the wallet had paid it before. */
  lookalikeOf: string | null;
  blockNumber: bigint;
  blockTime: Date;
  /** The position of the chain; null before it has started. */
  positionNumber: bigint | null;
};

/** A stored transaction with all fields that are shown. */
export type RecordedTransaction = ListedTransaction & {
  direction: Direction;
  blockHash: string;
  logIndex: number | null;
  tracePath: string | null;
  /**
   * The proof that it happened. Null: it is a correction, or an older release recorded it without
   * one.
   */
  proof: MovementProof | null;
  /** For an adjustment: it corrects a change above this block. */
  sinceNumber: bigint | null;
  /**
   * True if only one endpoint confirmed it, because the chain's others had not answered for too
   * long.
   */
  isConfirmedAlone: boolean;
  /** The wallet's present label. */
  label: string | null;
  reference: string | null;
  /** The value in US dollars at confirmation, as a decimal. */
  usdValue: string | null;
  /** When it was recorded. */
  seenAt: Date;
  /** When it was confirmed; null: it is not confirmed, or not any more. */
  completedAt: Date | null;
  /** The fee that the wallet paid to send it; null: it paid none. */
  fee: { amountAtomic: bigint; assetCode: string; assetDecimals: number } | null;
};

/** The fields of a transaction that its notifications show too. */
export type TransactionMoney = Pick<RecordedTransaction, "fee" | "usdValue" | "label">;

/**
 * The orders of a list: newest first, or the largest amount of one asset first. Notifications of
 * transactions have them too.
 */
export const transactionSorts = ["time", "amount"] as const;

/**
 * The wanted transactions. Times are in ms since the epoch: `from` is inclusive, `to` exclusive.
 */
export type TransactionFilter = {
  types: readonly TransactionType[];
  assetCode?: string;
  chainName?: string;
  status?: TransactionStatus;
  walletId?: string;
  /** A part of the wallet's reference or label, or the beginning of its address, in any case. */
  named?: string;
  /** Complete, or shortened: see partsOfShortened. */
  txHash?: string;
  from?: Date;
  to?: Date;
  /** Left out: by time. `amount` also needs `assetCode`. */
  sort?: (typeof transactionSorts)[number];
};

/** A page of a business's transactions, newest first by id, or largest first. */
export type TransactionsAsked = {
  businessId: string;
  filter: TransactionFilter;
  page: PageRequest;
};

/** The configured depth of a chain; null: the chain is not configured any more. */
export type RequiredConfirmations = (chainName: string) => number | null;

/**
 * The confirmations of a transaction. Its own block counts as one. It is 0 if the transaction is
 * not on the chain, or an unsettled reorg has undone it.
 */
export function confirmationsOf(transaction: ListedTransaction): bigint {
  const { status, isOrphaned, positionNumber, blockNumber } = transaction;
  if (isOrphaned || positionNumber === null) return 0n;
  if (!isOnChain(status)) return 0n;
  return positionNumber < blockNumber ? 0n : positionNumber - blockNumber + 1n;
}
