import type { Address } from "../chain/address.ts";
import type { Hash } from "../chain/block.ts";
import type { MatchedTransaction } from "./matched-transaction.ts";

/** What a wallet's movements of the chain's coin in one block add up to. `sumAtomic` is signed. */
export type BalanceChange = {
  walletId: string;
  walletAddress: Address;
  assetId: number;
  block: { number: bigint; hash: Hash; timeMs: number; parentHash: Hash };
  sumAtomic: bigint;
};

/** How the movements compare with the balances before and after. `unknown`: no endpoint has those states any more. */
export type BalanceVerdict =
  | { kind: "proved" }
  | { kind: "unknown" }
  | { kind: "differs"; beforeAtomic: bigint; afterAtomic: bigint };

/** The changes that a block's transactions make to the holdings of one asset: one for each wallet. */
export function changesIn(
  block: BalanceChange["block"],
  matched: readonly MatchedTransaction[],
  assetId: number,
): BalanceChange[] {
  const changes = new Map<string, BalanceChange>();
  for (const one of matched) {
    if (one.assetId !== assetId) continue;
    const { walletId, direction, amountAtomic } = one;
    const walletAddress = direction === "in" ? one.toAddress : one.fromAddress;
    const change = changes.get(walletId) ?? {
      ...{ walletId, walletAddress, assetId, block },
      sumAtomic: 0n,
    };
    change.sumAtomic += direction === "in" ? amountAtomic : -amountAtomic;
    changes.set(walletId, change);
  }
  return [...changes.values()];
}
