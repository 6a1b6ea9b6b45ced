import type { AssetAddress } from "../money/movement.ts";
import type { Direction, TransactionStatus, TransactionType } from "../money/transaction.ts";
import type { EntryKind } from "./ledger-entry.ts";
import type { StatementPeriod } from "./statement-period.ts";

/**
 * An end of a statement on one chain: the entries of blocks up to `number` whose seal is at most
 * `seal`. `hash` null: nothing kept it. `number` null: nothing was recorded before. `isOver` false:
 * the chain has no confirmed block of that moment yet, and the end is its last confirmed block.
 */
export type JournalBound = {
  number: bigint | null;
  hash: string | null;
  blockTime: Date | null;
  seal: bigint;
  sealHash: string | null;
  /** The last entry of that seal: the entries of a chain have its ids in the order of its seals. */
  lastEntryId: bigint;
  isOver: boolean;
};

/** The two ends of a statement on one chain. */
export type ChainBounds = {
  chainName: string;
  evmChainId: bigint;
  opening: JournalBound;
  closing: JournalBound;
};

/** The wallets and assets that are asked for. A reference is asked for by its beginning. */
export type StatementFilter = {
  chainName?: string;
  assetCode?: string;
  walletId?: string;
  label?: string;
  referencePrefix?: string;
};

export type StatementAsked = {
  businessId: string;
  period: StatementPeriod;
  filter: StatementFilter;
};

/** A wallet's asset in a statement. The sums are of the journal, up to each end. */
export type StatedHolding = {
  walletId: string;
  address: string;
  label: string | null;
  reference: string | null;
  /** When the wallet was added. */
  addedAt: Date;
  /** When the wallet was watched no longer. */
  removedAt: Date | null;
  chainName: string;
  assetId: number;
  assetCode: string;
  assetAddress: AssetAddress;
  assetDecimals: number;
  /** False: what the wallet held when its watching began is not read yet, so the sums lack it. */
  isOpeningKnown: boolean;
  openingAtomic: bigint;
  closingAtomic: bigint;
  /** Entries between the two. */
  entries: number;
};

/** An entry of the journal with its transaction. The amount is signed and in atomic units. */
export type StatedEntry = {
  id: bigint;
  walletId: string;
  assetId: number;
  kind: EntryKind;
  amountAtomic: bigint;
  blockNumber: bigint;
  recordedAt: Date;
  /** Null: it is about an opening balance. */
  transaction: StatedTransaction | null;
};

export type StatedTransaction = {
  id: string;
  type: TransactionType;
  direction: Direction;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** When the statement is made. */
  status: TransactionStatus;
  /** Of an adjustment: what it corrects lies above this block. */
  sinceNumber: bigint | null;
  /** Of the entry's block. Null, as the time is: the transaction is in another block by now. */
  blockHash: string | null;
  blockTime: Date | null;
  memo: string | null;
  /** In US dollars, when it was confirmed. */
  usdValue: string | null;
  /** Of the price that `usdValue` goes by. Null also where an older release confirmed it. */
  priceSource: string | null;
  priceAsOf: Date | null;
};

/** A part of a statement: a holding, and its entries. */
export type StatementPart = {
  holding: StatedHolding;
  /** In the order in which they were recorded. */
  entries: AsyncIterable<readonly StatedEntry[]>;
};

/** The business in the head of a statement. Null: it is not known. */
type StatedBusiness = {
  id: string;
  name: string;
  legalName: string | null;
  /** Postal, in lines. */
  address: string | null;
};

/** A statement as it is read. Nothing is locked between two parts. */
export type OpenStatement = {
  business: StatedBusiness;
  bounds: readonly ChainBounds[];
  parts: AsyncIterable<StatementPart>;
};

/** True if the entry's block lies before the period, which did not know of it yet. */
export function isOfPriorPeriod(entry: StatedEntry, { opening }: ChainBounds): boolean {
  return opening.number !== null && entry.blockNumber <= opening.number;
}
