import type { AssetAddress } from "../money/movement.ts";
import type { TransactionStatus, TransactionType } from "../money/transaction.ts";
import type { EntryKind } from "./ledger-entry.ts";
import type { StatementPeriod } from "./statement-period.ts";

/**
 * An end of a statement on one chain. It includes entries of blocks up to `number` whose seal is at
 * most `seal`. `hash` null: it is not stored. `number` null: nothing was recorded before. `isOver`
 * false: the chain has no confirmed block of that moment yet, and the end is its last confirmed
 * block.
 */
export type JournalBound = {
  number: bigint | null;
  hash: string | null;
  blockTime: Date | null;
  seal: bigint;
  sealHash: string | null;
  /** The last entry of that seal. Entry ids of a chain rise with its seals. */
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

/** The wanted wallets and assets. A reference is matched by its beginning. */
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

/** A wallet's asset in a statement. The sums are of the journal up to each end. */
export type StatedHolding = {
  walletId: string;
  address: string;
  label: string | null;
  reference: string | null;
  /** When the wallet was added. */
  addedAt: Date;
  /** When the wallet's watching ended. */
  removedAt: Date | null;
  chainName: string;
  assetId: number;
  assetCode: string;
  assetAddress: AssetAddress;
  assetDecimals: number;
  /** False: the opening balance is not read yet, so the sums lack it. */
  isOpeningKnown: boolean;
  openingAtomic: bigint;
  closingAtomic: bigint;
  /** The number of entries between the two ends. */
  entries: number;
};

/**
 * An entry of the journal with its transaction. The amount is signed and in atomic units. Times are
 * texts as `toISOString` writes them.
 */
export type StatedEntry = {
  id: bigint;
  kind: EntryKind;
  amountAtomic: bigint;
  blockNumber: bigint;
  recordedAt: string;
  /** Null: the entry is about an opening balance. */
  transaction: StatedTransaction | null;
};

type StatedTransaction = {
  id: string;
  type: TransactionType;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** The status when the statement is made. */
  status: TransactionStatus;
  /** For an adjustment: it corrects movements above this block. */
  sinceNumber: bigint | null;
  /**
   * The hash of the entry's block. Hash and time are null if the transaction is in another block by
   * now.
   */
  blockHash: string | null;
  blockTime: string | null;
  memo: string | null;
  /** The value in US dollars at confirmation. */
  usdValue: string | null;
  /** The source of the price behind `usdValue`. Null also if an older release confirmed it. */
  priceSource: string | null;
  priceAsOf: string | null;
};

/**
 * A transaction in a block of the period that the closing does not include. It is in no balance.
 * The amount is signed and in atomic units.
 */
export type UnconfirmedTransaction = Pick<
  StatedHolding,
  "walletId" | "address" | "label" | "reference" | "chainName" | "assetCode" | "assetDecimals"
> &
  Pick<StatedTransaction, "id" | "type" | "txHash" | "fromAddress" | "toAddress" | "memo"> & {
    amountAtomic: bigint;
    blockNumber: bigint;
    blockHash: string;
    blockTime: Date;
    /** The status when it was read. `completed`: it was confirmed after the closing. */
    status: TransactionStatus;
    /** True: it waits for its proof. */
    isHeld: boolean;
  };

/** A part of a statement: a holding, and its entries. */
export type StatementPart = {
  holding: StatedHolding;
  /** In the order in which they were recorded. */
  entries: AsyncIterable<readonly StatedEntry[]>;
};

/** The business at the head of a statement. Null: not known. */
type StatedBusiness = {
  id: string;
  name: string;
  legalName: string | null;
  /** Postal, in lines. */
  address: string | null;
};

/** A statement that is being read. Nothing is locked between two parts. */
export type OpenStatement = {
  business: StatedBusiness;
  bounds: readonly ChainBounds[];
  /** False: more may come into the period. */
  isOver: boolean;
  parts: AsyncIterable<StatementPart>;
  /** Pages in the order of ids. Read them after the parts. */
  unconfirmed: AsyncIterable<readonly UnconfirmedTransaction[]>;
};

/**
 * True if the entry's block is before the period. The statement of that earlier period did not
 * include the entry.
 */
export function isOfPriorPeriod(entry: StatedEntry, { opening }: ChainBounds): boolean {
  return opening.number !== null && entry.blockNumber <= opening.number;
}
