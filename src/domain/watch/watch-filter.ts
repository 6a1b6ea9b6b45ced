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

/** More of them would be found in nearly every bloom of a busy chain, where none of them is. */
const fewWallets = 16;

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

function addressesOf({ wallets }: Watchlist): Address[] {
  return Array.from(wallets.values(), ({ address }) => address);
}
