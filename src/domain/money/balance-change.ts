import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash, Position } from "../chain/block.ts";
import { groupedBy } from "../grouped-by.ts";
import type { AssetKind } from "./asset.ts";
import type { BalanceKey } from "./balance.ts";
import { isOnlyTraced, type MatchedTransaction, walletOf } from "./matched-transaction.ts";
import { noTransaction } from "./movement.ts";
import { signedAmount, type WalletPurpose } from "./transaction.ts";

/**
 * The sum of a wallet's movements of the coin in one block. `sumAtomic` is signed. `isOnlyTraced`:
 * only one endpoint's trace shows some of them. `stepsAtomic`: the change by each transaction, in
 * order, without zeros. It is null if it is not known, and for a fee recipient. Every transaction
 * pays a fee recipient, but it has one income of all.
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
 * A stored change that waits for its proof. Only the position of its block is stored. `identities`:
 * those of all its movements. The wallet may have been removed, or the coin left out, since then.
 * Its movements are decided all the same.
 */
export type WaitingChange = Omit<BalanceChange, "block"> & {
  block: Position;
  businessId: string;
  purpose: WalletPurpose;
  assetKind: AssetKind;
  identities: string[];
};

/** The last change of a page. The next page begins after it. */
export type ChangeCursor = BalanceKey & { block: Position };

/** `next` null: no waiting change follows. */
export type WaitingChanges = { changes: WaitingChange[]; next: ChangeCursor | null };

/**
 * Movements of a wallet in one block that do not wait any longer: `identities` are those that were
 * judged, in hex. `isAgreed`: the traces of two hosts show them. `isAlone`: nothing shows them, and
 * the wait for other hosts is over.
 */
export type ProvenChange = {
  identities: readonly string[];
  blockHash: Hash;
  isAgreed: boolean;
  isAlone: boolean;
};

/**
 * The result of comparing movements with the balances before and after.
 *
 * - `unknown`: no endpoint has those states any more.
 * - `unshown`: they add up, but only by one endpoint's word, and others are `silent`.
 * - `disputed`: hosts answer different balances of the wallet.
 * - `differs`: they do not add up. `sumAtomic` is the sum of the movements between the two
 *   balances, which may be those of one transaction.
 */
export type BalanceVerdict =
  | { kind: "proved" }
  | { kind: "unknown" }
  | { kind: "unshown"; silent: readonly string[] }
  | { kind: "disputed" }
  | { kind: "differs"; beforeAtomic: bigint; afterAtomic: bigint; sumAtomic: bigint };

/**
 * A change that the balances before and after its block do not explain. It is not notified until
 * they do.
 */
export type DifferingChange = BalanceChange & Extract<BalanceVerdict, { kind: "differs" }>;

/** The changes of one asset's balances in a block, one for each wallet. */
export function changesIn(
  block: BlockHeader,
  matched: readonly MatchedTransaction[],
  assetId: number,
): BalanceChange[] {
  const ofAsset = matched.filter((one) => one.assetId === assetId);
  return [...groupedBy(ofAsset, ({ walletId }) => walletId)].map(([walletId, moved]) => ({
    walletId,
    walletAddress: walletOf(moved[0]),
    assetId,
    block,
    ...sumsOf(moved.map(signedOf)),
    isOnlyTraced: moved.some(isOnlyTraced),
  }));
}

/** A movement, positive if it raises the wallet's balance. In order of execution. */
type Signed = { txHash: Hash; signedAtomic: bigint };

/** Adds up one wallet's movements of one asset in one block. */
export function sumsOf(moved: readonly Signed[]): Pick<BalanceChange, "sumAtomic" | "stepsAtomic"> {
  const sumAtomic = moved.reduce((sum, { signedAtomic }) => sum + signedAtomic, 0n);
  return { sumAtomic, stepsAtomic: stepsOf(moved) };
}

/** A matched transaction as a signed movement. */
export function signedOf(one: MatchedTransaction): Signed {
  return { txHash: one.txHash, signedAtomic: signedAmount(one) };
}

function stepsOf(moved: readonly Signed[]): bigint[] | null {
  const steps = new Map<Hash, bigint>();
  for (const { txHash, signedAtomic } of moved) {
    if (txHash === noTransaction) return null;
    steps.set(txHash, (steps.get(txHash) ?? 0n) + signedAtomic);
  }
  return [...steps.values()].filter((step) => step !== 0n);
}
