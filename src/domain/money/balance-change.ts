import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import type { AssetKind } from "./asset.ts";
import type { BalanceKey } from "./balance.ts";
import { isOnlyTraced, type MatchedTransaction, walletOf } from "./matched-transaction.ts";
import { noTransaction } from "./movement.ts";
import type { WalletPurpose } from "./transaction.ts";

/**
 * The sum of a wallet's movements of the chain's coin in one block. `sumAtomic` is signed.
 * `isOnlyTraced`: one endpoint's trace alone shows some of them. `stepsAtomic`: the change by each
 * transaction, in order, without changes of zero. It is null if it is not known, or for a fee
 * recipient. Every transaction pays a fee recipient, who has one income of all of them.
 */
export type BalanceChange = {
  walletId: string;
  walletAddress: Address;
  assetId: number;
  block: BlockHeader;
  sumAtomic: bigint;
  stepsAtomic: bigint[] | null;
  isOnlyTraced: boolean;
};

/**
 * A change that waits for its proof, as the ledger has it. Of its block, only the place is stored.
 * `identities` are those of all its movements. The wallet may have been removed since, and the coin
 * may have been left out. The movements of its block are decided all the same.
 */
export type WaitingChange = Omit<BalanceChange, "block"> & {
  block: Position;
  businessId: string;
  purpose: WalletPurpose;
  assetKind: AssetKind;
  identities: string[];
};

/** The last change of a page. The next page begins behind it. */
export type ChangeCursor = BalanceKey & { block: Position };

/** `next` null: no change that waits lies behind these. */
export type WaitingChanges = { changes: WaitingChange[]; next: ChangeCursor | null };

/**
 * A wallet's movements of the coin in one block, which wait no longer. `isAgreed`: the traces of
 * two hosts show them. `isAlone`: nothing has shown them, and patience with the others is over.
 */
export type ProvenChange = {
  walletId: string;
  blockHash: Hash;
  isAgreed: boolean;
  isAlone: boolean;
};

/**
 * The result of comparing the movements with the balances before and after.
 *
 * - `unknown`: no endpoint has those states any more.
 * - `unshown`: they add up, but only one endpoint says so, and others are `silent`.
 * - `disputed`: hosts answer different balances of this wallet.
 * - `differs`: `sumAtomic` is the sum of the movements between the two balances. They may be those
 *   of one transaction.
 */
export type BalanceVerdict =
  | { kind: "proved" }
  | { kind: "unknown" }
  | { kind: "unshown"; silent: readonly string[] }
  | { kind: "disputed" }
  | { kind: "differs"; beforeAtomic: bigint; afterAtomic: bigint; sumAtomic: bigint };

/**
 * A change that the balances before and after its block do not show. Nobody is notified of it until
 * they do.
 */
export type DifferingChange = BalanceChange & Extract<BalanceVerdict, { kind: "differs" }>;

/**
 * The changes that a block's transactions make to the balances of one asset, one for each wallet.
 */
export function changesIn(
  block: BlockHeader,
  matched: readonly MatchedTransaction[],
  assetId: number,
): BalanceChange[] {
  const byWallet = new Map<string, MatchedTransaction[]>();
  for (const one of matched) {
    if (one.assetId !== assetId) continue;
    const others = byWallet.get(one.walletId);
    if (others === undefined) byWallet.set(one.walletId, [one]);
    else others.push(one);
  }
  return [...byWallet.values()].flatMap((moved): BalanceChange[] => {
    const [one] = moved;
    if (one === undefined) return [];
    const { walletId } = one;
    return [
      {
        walletId,
        walletAddress: walletOf(one),
        assetId,
        block,
        ...sumsOf(moved.map(signedOf)),
        isOnlyTraced: moved.some(isOnlyTraced),
      },
    ];
  });
}

/** A movement with the sign of its effect on the wallet's balance, in order of execution. */
type Signed = { txHash: Hash; signedAtomic: bigint };

/** The sum of one wallet's movements of one asset in one block. */
export function sumsOf(moved: readonly Signed[]): Pick<BalanceChange, "sumAtomic" | "stepsAtomic"> {
  const sumAtomic = moved.reduce((sum, { signedAtomic }) => sum + signedAtomic, 0n);
  return { sumAtomic, stepsAtomic: stepsOf(moved) };
}

/** The movement with the sign of its effect on the wallet's balance. */
export function signedOf({ txHash, direction, amountAtomic }: MatchedTransaction): Signed {
  return { txHash, signedAtomic: direction === "in" ? amountAtomic : -amountAtomic };
}

function stepsOf(moved: readonly Signed[]): bigint[] | null {
  const steps = new Map<Hash, bigint>();
  for (const { txHash, signedAtomic } of moved) {
    if (txHash === noTransaction) return null;
    steps.set(txHash, (steps.get(txHash) ?? 0n) + signedAtomic);
  }
  return [...steps.values()].filter((step) => step !== 0n);
}
