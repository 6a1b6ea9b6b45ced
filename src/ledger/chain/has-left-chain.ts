import type { Position } from "../../domain/chain/block.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * True if another block is stored at this block's height. No hash is stored below the window: there
 * the caller must have shown that the block is of the chain. The caller holds the chain's lock.
 */
export async function hasLeftChain(tx: Tx, chainName: string, block: Position): Promise<boolean> {
  const where = { chainName_number: { chainName, number: block.number } };
  const stored = await tx.block.findUnique({ where });
  return stored !== null && stored.hash !== block.hash;
}
