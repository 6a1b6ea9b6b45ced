import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type { ListedHeader, RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import type { Reward } from "./income/block-income.ts";
import type { CoinMove } from "./income/movement-makers.ts";

/** The movements of the coin in the traces of one transaction. */
export type TracedTransaction = {
  /** Internal transfers, in order of execution. */
  moves: CoinMove[];
  /** Coin that was made for an account (Nitro). */
  made: { to: Address; amountAtomic: bigint; tracePath: string }[];
  /** The fees that only the trace shows (Nitro). Null: the receipt shows them. */
  fees: { from: Address; amountAtomic: bigint; tracePath: string }[] | null;
};

/** The traces of each transaction of a block, in order, and what the block itself gave. */
export type BlockTraces = { transactions: TracedTransaction[]; rewards: Reward[] };

export type TracedBlock = {
  block: RpcBlock;
  receipts: readonly RpcReceipt[];
  /** Transactions that a node may leave out of its traces. */
  untraced: ReadonlySet<Hash>;
};

/** No call is deeper: the EVM ends at 1,024. Paths of any length would take for ever to compare. */
const deepestCall = 4_096;

/** @throws Fault `rpc_inconsistent` if no call can be that deep */
export function requireDepth(block: RpcBlock, depth: number): void {
  if (depth > deepestCall) throw refusedBlock(block, `a trace is ${depth} calls deep`);
}

export const untouched: TracedTransaction = { moves: [], made: [], fees: null };

/**
 * True if the transaction, or a part of it, may have moved money. With EIP-8130 earlier phases
 * count even if a later one failed.
 */
export function mayMove({ type }: RpcTransaction, receipt: RpcReceipt | undefined): boolean {
  return receipt?.isSuccess === true || type === txTypes.accountAbstraction;
}

/**
 * Refuses a block in which a transaction succeeded whose trace failed. Such a trace would hide all
 * that it moved.
 */
export function requireFailed(
  block: RpcBlock,
  index: number,
  receipt: RpcReceipt | undefined,
): void {
  if (receipt?.isSuccess !== true) return;
  throw refusedBlock(block, `trace ${index} failed, but its receipt did not`);
}

/**
 * True if a contract that destroys itself burns its coin, provided that the same transaction
 * created it. Since EIP-8246, which came with Amsterdam's access lists, the coin stays.
 */
export function burnsCoin({ accessListHash }: ListedHeader): boolean {
  return accessListHash === null;
}

const burned: Address = "0x0000000000000000000000000000000000000000";

type Frame = Omit<CoinMove, "to" | "logIndex"> & {
  type: string;
  to: Address | null;
  /** Contracts that this transaction created; null: their coin is not burned with them. */
  created: ReadonlySet<Address> | null;
};

/** Adds the move of a frame. */
export function addMove(moves: CoinMove[], frame: Frame): void {
  const { type, from, amountAtomic, tracePath } = frame;
  if (frame.to === null) return;
  const move = { from, amountAtomic, tracePath, logIndex: null };
  // A contract that sends to itself keeps its coin (EIP-6780), unless the coin burns with it.
  if (type === "SELFDESTRUCT" && frame.to === from) {
    if (frame.created?.has(from) === true) moves.push({ ...move, to: burned });
    return;
  }
  moves.push({ ...move, to: frame.to });
}

/** True if a value is set. Some clients write an empty error instead of none. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
