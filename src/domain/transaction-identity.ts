import { createHash } from "node:crypto";
import type { Movement } from "./movement.ts";
import type { Direction } from "./transaction.ts";

/**
 * What a transaction is, whichever block includes it (I3): SHA-256, hex, of chain, transaction hash, wallet,
 * direction, asset, from, to, emitted amount and `n`, which counts equal tuples of one transaction in execution order from 0. Block,
 * log index and trace path are left out because they change when the transaction is included again. A fee is one per
 * (chain, transaction hash, payer).
 */
export function transactionIdentity(of: {
  chainName: string;
  walletId: string;
  direction: Direction;
  movement: Movement;
  n: number;
}): string {
  const { chainName, walletId, direction, movement, n } = of;
  const { kind, txHash, asset, from, to, amountAtomic } = movement;
  const parts =
    kind === "fee"
      ? [kind, chainName, txHash, walletId]
      : [
          kind,
          chainName,
          txHash,
          walletId,
          direction,
          asset,
          from,
          to,
          amountAtomic.toString(),
          n.toString(),
        ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
