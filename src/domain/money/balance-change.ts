import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import { isOnlyTraced, type MatchedTransaction, walletOf } from "./matched-transaction.ts";

/**
 * What a wallet's movements of the chain's coin in one block add up to. `sumAtomic` is signed. `isOnlyTraced`: one endpoint's
 * trace is all that shows some of them.
 */
export type BalanceChange = {
  walletId: string;
  walletAddress: Address;
  assetId: number;
  block: BlockHeader;
  sumAtomic: bigint;
  isOnlyTraced: boolean;
};

/**
 * A change that waits for its proof, as the ledger has it: of its block only the place is stored. `identities`: of all of its
 * movements.
 */
export type WaitingChange = Omit<BalanceChange, "block"> & {
  block: Position;
  identities: string[];
};

/** A wallet's movements of the coin in one block, whose proof has been found. `isAgreed`: two hosts' traces show them. */
export type ProvenChange = { walletId: string; blockHash: Hash; isAgreed: boolean };

/**
 * How the movements compare with the balances before and after. `unknown`: no endpoint has those states any more. `unshown`:
 * they add up, but one endpoint alone says so, beside others that could be asked.
 */
export type BalanceVerdict =
  | { kind: "proved" }
  | { kind: "unknown" }
  | { kind: "unshown" }
  | { kind: "differs"; beforeAtomic: bigint; afterAtomic: bigint };

/** A change that the balances before and after its block do not show: nobody is notified of it until they do. */
export type DifferingChange = BalanceChange & Extract<BalanceVerdict, { kind: "differs" }>;

/** The changes that a block's transactions make to the balances of one asset: one for each wallet. */
export function changesIn(
  block: BlockHeader,
  matched: readonly MatchedTransaction[],
  assetId: number,
): BalanceChange[] {
  const changes = new Map<string, BalanceChange>();
  for (const one of matched) {
    if (one.assetId !== assetId) continue;
    const { walletId, direction, amountAtomic } = one;
    const walletAddress = walletOf(one);
    const change = changes.get(walletId) ?? {
      ...{ walletId, walletAddress, assetId, block },
      sumAtomic: 0n,
      isOnlyTraced: false,
    };
    change.isOnlyTraced ||= isOnlyTraced(one);
    change.sumAtomic += direction === "in" ? amountAtomic : -amountAtomic;
    changes.set(walletId, change);
  }
  return [...changes.values()];
}
