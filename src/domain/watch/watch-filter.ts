import type { Address } from "../chain/address.ts";
import { type LoadedBlock, nativeAddress } from "../money/movement.ts";
import type { Watchlist } from "./watchlist.ts";

/**
 * The things that a range of blocks is searched for. A block that can hold nothing of them need not
 * be read whole.
 */
export type WatchFilter = {
  /** Token contracts that are watched. */
  tokens: readonly Address[];
  /** True if the chain's own coin is watched. */
  isCoinWatched: boolean;
  isWatched: (address: Address) => boolean;
  /**
   * The watched wallets, if they are few enough to look for each of them in a bloom. Null: they are
   * more.
   */
  fewWallets: readonly Address[] | null;
};

/**
 * The most wallets to look for in a bloom. To look for more in each bloom takes too long. The bloom
 * of a busy block seems to hold some wallets of so many, even if the block holds none. On a chain
 * of many small blocks, the bloom rules most blocks out.
 */
const fewWallets = 1_000;

/** The wallets of each list, as of one version of it. Every block asks a list for them. */
const listed = new WeakMap<Watchlist, { version: bigint; wallets: readonly Address[] }>();

/**
 * A block of a range. `isWhole`: its movements are those of a block that was read alone. If it is
 * not whole, it was shown to hold nothing of its watch filter, and has no movements. It says
 * nothing about wallets and assets that began to be watched since.
 */
export type RangeBlock = LoadedBlock & { isWhole: boolean };

/** Consecutive blocks, oldest first, and how many bytes were decoded to read them. */
export type BlockRange = { blocks: RangeBlock[]; decodedBytes: number };

/** The filter of everything on a list, as the list is at each moment. */
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
