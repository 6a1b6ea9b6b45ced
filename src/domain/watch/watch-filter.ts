import type { Address } from "../chain/address.ts";
import { type LoadedBlock, nativeAddress } from "../money/movement.ts";
import type { Watchlist } from "./watchlist.ts";

/** What a range of blocks is looked through for: a block in which nothing of it can be need not be read whole. */
export type WatchFilter = {
  /** Token contracts that are watched. */
  tokens: readonly Address[];
  /** Whether the chain's own coin is. */
  isCoinWatched: boolean;
  isWatched: (address: Address) => boolean;
  /** The watched wallets where they are so few that each can be looked for in a bloom; null: they are more. */
  fewWallets: readonly Address[] | null;
};

/**
 * More of them take too long to look for in each bloom. In that of a busy block some of these are found where none of them is;
 * on a chain of many small blocks most are ruled out by it.
 */
const fewWallets = 1_000;

/** The wallets of each list, as of a version of it: a list is asked for them with every block. */
const listed = new WeakMap<Watchlist, { version: bigint; wallets: readonly Address[] }>();

/**
 * A block of a range. `isWhole`: its movements are those of a block that was read alone. Else it was shown to hold
 * nothing of the watch filter it was read for, and has none: it says nothing of what began to be watched since.
 */
export type RangeBlock = LoadedBlock & { isWhole: boolean };

/** Consecutive blocks, oldest first, and how many bytes were decoded to read them. */
export type BlockRange = { blocks: RangeBlock[]; decodedBytes: number };

/** The interest of everything on a list, as it is at each moment. */
export function watchFilterOf(list: Watchlist): WatchFilter {
  const tokens = [...list.assets.keys()].filter((asset) => asset !== nativeAddress);
  return {
    tokens,
    isCoinWatched: list.assets.has(nativeAddress),
    isWatched: (address) => list.wallets.has(address),
    fewWallets: list.wallets.size <= fewWallets ? addressesOf(list) : null,
  };
}

/** The same array for the same list and version. */
function addressesOf(list: Watchlist): readonly Address[] {
  const { version } = list;
  const known = listed.get(list);
  if (known?.version === version) return known.wallets;
  const wallets = Array.from(list.wallets.values(), ({ address }) => address);
  listed.set(list, { version, wallets });
  return wallets;
}
