import type { Address } from "../chain/address.ts";
import { type LoadedBlock, nativeAddress } from "../money/movement.ts";
import type { Watchlist } from "./watchlist.ts";

/**
 * The things that a range of blocks is searched for. A block that cannot match need not be read
 * whole.
 */
export type WatchFilter = {
  /** Token contracts that are watched. */
  tokens: readonly Address[];
  /** True if the chain's own coin is watched. */
  isCoinWatched: boolean;
  isWatched: (address: Address) => boolean;
  /** The watched wallets, if they are few enough to search blooms for each. Null: they are more. */
  fewWallets: readonly Address[] | null;
};

/**
 * Blooms are searched for at most this many wallets. More would take too long, and a busy block's
 * bloom would seem to match some of them by chance. On a chain with many small blocks the bloom
 * excludes most blocks.
 */
const fewWallets = 1_000;

/** The wallets of each list at one version. Every block asks for them. */
const listed = new WeakMap<Watchlist, { version: bigint; wallets: readonly Address[] }>();

/**
 * A block as it was read. `isWhole`: it has the movements of a block that was read alone. If not,
 * it provably did not match its watch filter, and has no movements. That says nothing about wallets
 * and assets that began to be watched later.
 */
export type RangeBlock = LoadedBlock & { isWhole: boolean };

/** Successive blocks, oldest first, and how many bytes were decoded for them. */
export type BlockRange = { blocks: RangeBlock[]; decodedBytes: number };

/** The filter of everything on a list. It follows the list's changes. */
export function watchFilterOf(list: Watchlist): WatchFilter {
  const tokens = [...list.assets.keys()].filter((asset) => asset !== nativeAddress);
  return {
    tokens,
    isCoinWatched: list.assets.has(nativeAddress),
    isWatched: (address) => list.wallets.has(address),
    fewWallets: list.wallets.size <= fewWallets ? addressesOf(list) : null,
  };
}

/** The addresses of a list. The array is the same for the same list and version. */
function addressesOf(list: Watchlist): readonly Address[] {
  const { version } = list;
  const known = listed.get(list);
  if (known?.version === version) return known.wallets;
  const wallets = Array.from(list.wallets.values(), ({ address }) => address);
  listed.set(list, { version, wallets });
  return wallets;
}
