import { type Address, zeroAddress } from "../../../domain/chain/address.ts";
import type { Hash } from "../../../domain/chain/block.ts";
import {
  type AssetAddress,
  type IncomeSource,
  type Movement,
  nativeAddress,
} from "../../../domain/money/movement.ts";

/**
 * Coin that moved between two accounts, with its place in the transaction's calls or among the
 * block's logs.
 */
export type CoinMove = Pick<Movement, "from" | "to" | "amountAtomic" | "tracePath" | "logIndex">;

export function coinTransfer(txHash: Hash, move: CoinMove): Movement {
  return { ...move, kind: "transfer", asset: nativeAddress, txHash };
}

/** The fee that `from` paid for a transaction. `tracePath`: set if only a trace shows the fee. */
export function feePaid(
  txHash: Hash,
  paid: { from: Address; asset: AssetAddress; amountAtomic: bigint; tracePath?: string },
): Movement {
  return { ...nowhere, ...paid, kind: "fee", txHash, to: zeroAddress };
}

/** Coin that comes from nobody. `tracePath`: set if only a trace shows it. */
export function income(
  txHash: Hash,
  paid: { to: Address; amountAtomic: bigint; tracePath?: string },
  source: IncomeSource,
): Movement {
  const made = { kind: "income", asset: nativeAddress, txHash, from: zeroAddress } as const;
  return { ...nowhere, ...paid, ...made, source };
}

const nowhere = { logIndex: null, tracePath: null };
