import { hash } from "node:crypto";
import type { Movement } from "./movement.ts";
import type { Direction } from "./transaction.ts";

/**
 * The identity of a transaction, in whichever block it is (docs/invariants.md#i3). It is the
 * SHA-256, in hex, of kind, chain, transaction hash, wallet, direction, asset, from, to, emitted
 * amount and `n`. `n` counts equal tuples of one transaction in execution order, from 0. Block, log
 * index and trace path are left out, because they change when the transaction is included again.
 *
 * - A fee is one for each (chain, transaction hash, payer).
 * - An income from a beacon withdrawal is one for each withdrawal.
 * - An income from coin that was made is one for each (transaction hash, wallet).
 * - Any other income is one for each (block, wallet): the block's fees or a reward.
 */
export function transactionIdentity(of: {
  chainName: string;
  walletId: string;
  direction: Direction;
  movement: Movement;
  n: number;
}): string {
  const { chainName, walletId, direction, movement, n } = of;
  if (movement.kind === "fee" || movement.kind === "income") {
    const parts = [movement.kind, chainName, ...singular(movement), walletId];
    return hash("sha256", JSON.stringify(parts));
  }
  const { kind, txHash, asset, from, to, amountAtomic } = movement;
  // The JSON of the list, joined by hand in a sixth of the time. Only the chain's name may need
  // escaping.
  const text = `["${kind}",${JSON.stringify(chainName)},"${txHash}","${walletId}","${direction}","${asset}","${from}","${to}","${amountAtomic}","${n}"]`;
  return hash("sha256", text);
}

/** The parts that identify it, besides chain and wallet. */
function singular(movement: Extract<Movement, { kind: "fee" | "income" }>): string[] {
  if (movement.kind === "fee") return [movement.txHash];
  const { source, txHash } = movement;
  switch (source.kind) {
    case "withdrawal":
      return [source.kind, source.index.toString()];
    case "mint":
      return [source.kind, txHash];
    case "reward":
    case "fees":
      return [source.kind, source.blockHash];
  }
}
