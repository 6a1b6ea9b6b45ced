import type { Direction } from "../domain/transaction.ts";
import type { Weight } from "./move-balances.ts";

/** What a statement that changed transactions returns of each. */
export type MovedRow = {
  id: string;
  walletId: string;
  assetId: number;
  direction: string;
  amount: string;
  blockNumber: bigint;
};

export function toWeight(row: MovedRow, sign: 1n | -1n): Weight & { blockNumber: bigint } {
  return {
    id: row.id,
    walletId: row.walletId,
    assetId: row.assetId,
    direction: row.direction as Direction,
    amountAtomic: BigInt(row.amount),
    sign,
    blockNumber: row.blockNumber,
  };
}
