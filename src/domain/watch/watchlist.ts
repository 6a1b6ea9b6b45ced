import type { Address } from "../chain/address.ts";
import type { AssetKind } from "../money/asset.ts";
import type { AssetAddress } from "../money/movement.ts";
import type { WalletPurpose } from "../money/transaction.ts";

/** A wallet. Its movements in blocks above `since` are recorded. */
export type WatchedWallet = {
  id: string;
  businessId: string;
  address: Address;
  purpose: WalletPurpose;
  since: bigint;
};

/** An asset. Its movements in blocks above `since` are recorded. */
export type WatchedAsset = { id: number; address: AssetAddress; kind: AssetKind; since: bigint };

/** The wallets by address, with the methods of a Map that are needed. */
export type WatchedWallets = {
  readonly size: number;
  has: (address: Address) => boolean;
  get: (address: Address) => WatchedWallet | undefined;
  set: (address: Address, wallet: WatchedWallet) => unknown;
  delete: (address: Address) => unknown;
  values: () => Iterable<WatchedWallet>;
};

/**
 * The place of a list among the changes of its chain. `changeId`: the change that made this
 * version. Null: there was none yet. A failover may lose the change, and another one then gets its
 * version.
 */
export type WatchMark = { version: bigint; changeId: string | null };

export function markOf({ version, changeId }: WatchMark): WatchMark {
  return { version, changeId };
}

/**
 * The wallets and assets that are watched on one chain, at a version of the chain's row
 * (docs/invariants.md#i4). The list stays in memory, and differences bring it to later versions. So
 * a million wallets are loaded once.
 */
export type Watchlist = WatchMark & {
  wallets: WatchedWallets;
  assets: Map<AssetAddress, WatchedAsset>;
};

/**
 * Makes a list of only these wallets and assets, for blocks that are read again. It has no version,
 * and differences are not applied to it.
 */
export function watchlistOf(
  watched: readonly { wallet: WatchedWallet; asset: WatchedAsset }[],
): Watchlist {
  return {
    version: 0n,
    changeId: null,
    wallets: new Map(watched.map(({ wallet }) => [wallet.address, wallet])),
    assets: new Map(watched.map(({ asset }) => [asset.address, asset])),
  };
}

/** The changes between two versions. All assets are included, since they are few. */
export type WatchDifference = WatchMark & {
  added: WatchedWallet[];
  removed: { id: string; address: Address }[];
  assets: WatchedAsset[];
};

/**
 * Brings the list to the difference's version, in place. Applying the same difference again changes
 * nothing.
 */
export function applyDifference(list: Watchlist, difference: WatchDifference): void {
  for (const wallet of difference.removed) {
    if (list.wallets.get(wallet.address)?.id === wallet.id) list.wallets.delete(wallet.address);
  }
  for (const wallet of difference.added) list.wallets.set(wallet.address, wallet);
  list.assets = new Map(difference.assets.map((asset) => [asset.address, asset]));
  list.version = difference.version;
  list.changeId = difference.changeId;
}
