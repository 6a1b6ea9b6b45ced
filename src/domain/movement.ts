import type { Address } from "./address.ts";
import type { BlockHeader, Hash } from "./block.ts";

/** The asset address of a chain's own coin. */
export const nativeAddress = "native";

export type AssetAddress = Address | typeof nativeAddress;

/**
 * Money that moved in a block, whoever it belongs to. A `transfer` has both sides; a `fee` is what the sender of a
 * transaction paid for it, and `to` is the zero address.
 */
export type Movement = {
  kind: "transfer" | "fee";
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

/** A block and every movement in it, in order of execution, proved to belong together. */
export type LoadedBlock = { header: BlockHeader; movements: Movement[] };
