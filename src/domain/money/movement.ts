import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";

/** The asset address of a chain's own coin. */
export const nativeAddress = "native";

export type AssetAddress = Address | typeof nativeAddress;

/** Stands for the transaction hash of money that no transaction moved: a beacon withdrawal, what a fee recipient earns. */
export const noTransaction: Hash = `0x${"0".repeat(64)}`;

/** Where an income comes from, with what makes it one of its kind (docs/invariants.md#i3). */
export type IncomeSource =
  /** A beacon withdrawal (EIP-4895), by its index. */
  | { kind: "withdrawal"; index: bigint }
  /** Coin that an L2 makes for a deposit from its parent chain, by the transaction that brings it. */
  | { kind: "mint" }
  /** What the chain itself gave in a block (block rewards, coin that a system call makes), by the block's hash. */
  | { kind: "reward"; blockHash: Hash }
  /** Priority fees of a block, by its hash. */
  | { kind: "fees"; blockHash: Hash };

type Moved = {
  asset: AssetAddress;
  txHash: Hash;
  from: Address;
  to: Address;
  amountAtomic: bigint;
  /** Of an ERC-20 transfer: its index in the block. */
  logIndex: number | null;
  /** Of an internal transfer: where in its transaction's call tree. */
  tracePath: string | null;
};

/**
 * Money that moved in a block, whoever it belongs to. A `transfer` has both sides. A `wrap` is the same for a token
 * that logs wrapping and unwrapping without a Transfer (WETH9), and counts for no other: the zero address is
 * one of its sides. A `fee` is what the sender of a transaction paid for it, and `to` is the zero address. An `income`
 * comes from nobody: `from` is the zero address.
 */
export type Movement = Moved &
  ({ kind: "transfer" | "wrap" | "fee" } | { kind: "income"; source: IncomeSource });

/** A block and every movement in it, in order of execution, proved to belong together. */
export type LoadedBlock = { header: BlockHeader; movements: Movement[] };
