import type { PageRequest } from "../page.ts";
import type { MovementProof } from "./movement.ts";
import {
  type Direction,
  isOnChain,
  type TransactionStatus,
  type TransactionType,
} from "./transaction.ts";

/** What a list shows of a transaction. */
export type ListedTransaction = {
  id: string;
  type: TransactionType;
  amountAtomic: bigint;
  assetCode: string;
  assetDecimals: number;
  status: TransactionStatus;
  /** Undone by a reorg that is not settled yet. */
  isOrphaned: boolean;
  walletId: string;
  chainName: string;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** What a payment on Tempo has with it; see TransferTag. */
  memo: string | null;
  virtualAddress: string | null;
  blockNumber: bigint;
  blockTime: Date;
  /** How far the chain is; null before it has started. */
  positionNumber: bigint | null;
};

/** A transaction as the ledger has it, with what is needed to show all of it. */
export type RecordedTransaction = ListedTransaction & {
  direction: Direction;
  blockHash: string;
  logIndex: number | null;
  tracePath: string | null;
  /** What shows that it happened; null: a correction, or recorded by a release that did not say. */
  proof: MovementProof | null;
  /** Of an adjustment: what it corrects lies above this block. */
  sinceNumber: bigint | null;
  /** Confirmed by the word of one endpoint: the others of its chain had been silent for too long. */
  isConfirmedAlone: boolean;
  reference: string | null;
  /** A decimal, at confirmation. */
  usdValue: string | null;
};

/** Which transactions are asked for. Times in ms since the epoch; `from` is included, `to` is not. */
export type TransactionFilter = {
  types: readonly TransactionType[];
  assetCode?: string;
  chainName?: string;
  status?: TransactionStatus;
  walletId?: string;
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

/**
 * How deep a transaction lies: its own block counts as one. 0 for what is not on the chain, which an orphaned
 * transaction may not be.
 */
export function confirmationsOf(transaction: ListedTransaction): bigint {
  const { status, isOrphaned, positionNumber, blockNumber } = transaction;
  if (isOrphaned || positionNumber === null) return 0n;
  if (!isOnChain(status)) return 0n;
  return positionNumber < blockNumber ? 0n : positionNumber - blockNumber + 1n;
}
