import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import type { ListedHeader, RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import type { Reward } from "./income/block-income.ts";
import type { CoinMove } from "./income/movement-makers.ts";

/** The movements of the coin that the traces of one transaction show. */
export type TracedTransaction = {
  /** Internal transfers, in order of execution. */
  moves: CoinMove[];
  /** Coin that was made for an account (Nitro). */
  made: { to: Address; amountAtomic: bigint; tracePath: string }[];
  /** The fees, where only the trace shows them (Nitro). Null: the receipt shows them. */
  fees: { from: Address; amountAtomic: bigint; tracePath: string }[] | null;
};

/** Of each transaction of a block, in order, and what the block itself gave. */
export type BlockTraces = { transactions: TracedTransaction[]; rewards: Reward[] };

export type TracedBlock = {
  block: RpcBlock;
  receipts: readonly RpcReceipt[];
  /** Transactions that a node may leave out of its traces. */
  untraced: ReadonlySet<Hash>;
};

export const untouched: TracedTransaction = { moves: [], made: [], fees: null };

/**
 * True if a part of a transaction can have moved coin. With EIP-8130 phases stay although a later
 * one failed.
 */
export function mayMove({ type }: RpcTransaction, receipt: RpcReceipt | undefined): boolean {
  return receipt?.isSuccess === true || type === txTypes.accountAbstraction;
}

/**
 * True if the coin of a contract that destroys itself is burned, where this very transaction made
 * the contract. Since EIP-8246, which came with the access lists of Amsterdam, the coin stays.
 */
export function burnsCoin({ accessListHash }: ListedHeader): boolean {
  return accessListHash === null;
}

const burned: Address = "0x0000000000000000000000000000000000000000";

type Frame = Omit<CoinMove, "to" | "logIndex"> & {
  type: string;
  to: Address | null;
  /**
   * Contracts that were made in this very transaction; null: where their coin is not burned with
   * them.
   */
  created: ReadonlySet<Address> | null;
};

/** Adds what a frame moved. */
export function addMove(moves: CoinMove[], frame: Frame): void {
  const { type, from, amountAtomic, tracePath } = frame;
  if (frame.to === null) return;
  const move = { from, amountAtomic, tracePath, logIndex: null };
  // To itself: the coin stays (EIP-6780), unless it is burned with a contract that was made in this
  // very transaction.
  if (type === "SELFDESTRUCT" && frame.to === from) {
    if (frame.created?.has(from) === true) moves.push({ ...move, to: burned });
    return;
  }
  moves.push({ ...move, to: frame.to });
}

/** Some clients write an empty error where there is none. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
