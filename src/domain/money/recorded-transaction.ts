import type { PageRequest } from "../page.ts";
import type { MovementProof } from "./movement.ts";
import {
  type Direction,
  isOnChain,
  type TransactionStatus,
  type TransactionType,
} from "./transaction.ts";

/** The fields of a transaction that a list shows. */
export type ListedTransaction = {
  id: string;
  type: TransactionType;
  amountAtomic: bigint;
  assetCode: string;
  assetDecimals: number;
  status: TransactionStatus;
  /** True if a reorg that is not settled yet has undone it. */
  isOrphaned: boolean;
  walletId: string;
  chainName: string;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** The data that a payment on Tempo has (see TransferTag). */
  memo: string | null;
  virtualAddress: string | null;
  /** An address that the wallet had paid, and that the sender looks like and is not. */
  lookalikeOf: string | null;
  blockNumber: bigint;
  blockTime: Date;
  /** The position of the chain; null before it has started. */
  positionNumber: bigint | null;
};

/** A transaction as the ledger has it, with everything that is shown of it. */
export type RecordedTransaction = ListedTransaction & {
  direction: Direction;
  blockHash: string;
  logIndex: number | null;
  tracePath: string | null;
  /**
   * The proof that it happened. Null: it is a correction, or a release that kept no proof recorded
   * it.
   */
  proof: MovementProof | null;
  /** Of an adjustment: it corrects a change above this block. */
  sinceNumber: bigint | null;
  /**
   * True if one endpoint alone confirmed the transaction. The others of its chain had been silent
   * for too long.
   */
  isConfirmedAlone: boolean;
  /** Of its wallet, as it is now. */
  label: string | null;
  reference: string | null;
  /** The value in US dollars at confirmation, as a decimal. */
  usdValue: string | null;
  /** The time at which it was recorded. */
  seenAt: Date;
  /** The time at which it was confirmed; null: it is not confirmed, or no longer. */
  completedAt: Date | null;
  /** The fee that the wallet paid for its own send; null: it paid nothing. */
  fee: { amountAtomic: bigint; assetCode: string; assetDecimals: number } | null;
};

/** The fields of a transaction that notifications of it have too. */
export type TransactionMoney = Pick<RecordedTransaction, "fee" | "usdValue" | "label">;

/**
 * The transactions that are asked for. Times are in ms since the epoch; `from` is included, `to` is
 * not.
 */
export type TransactionFilter = {
  types: readonly TransactionType[];
  assetCode?: string;
  chainName?: string;
  status?: TransactionStatus;
  walletId?: string;
  /** A part of its wallet's reference or label, or the beginning of its address, in any case. */
  named?: string;
  /** Whole, or shortened: see partsOfShortened. */
  txHash?: string;
  from?: Date;
  to?: Date;
};

/** A page of a business's transactions, newest first by id. */
export type TransactionsAsked = {
  businessId: string;
  filter: TransactionFilter;
  page: PageRequest;
};

/** The configured depth of a chain; null where it is no longer configured. */
export type RequiredConfirmations = (chainName: string) => number | null;

/**
 * The depth of a transaction; its own block counts as one. It is 0 for a transaction that is not on
 * the chain, or that an unsettled reorg has undone.
 */
export function confirmationsOf(transaction: ListedTransaction): bigint {
  const { status, isOrphaned, positionNumber, blockNumber } = transaction;
  if (isOrphaned || positionNumber === null) return 0n;
  if (!isOnChain(status)) return 0n;
  return positionNumber < blockNumber ? 0n : positionNumber - blockNumber + 1n;
}
