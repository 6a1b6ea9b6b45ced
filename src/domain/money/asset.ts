import type { AssetAddress, Movement } from "./movement.ts";

/**
 * Every way in which a token may behave. The configuration's schema follows from this table; the database's CHECK is
 * held against it by a test. Nothing else names a kind: what differs between kinds is said here, once for each.
 *
 * `isExact`: its balances change by transfers alone, so that any other difference is a discrepancy; else the reconciler
 * corrects it by an adjustment. `isMeasured`: a transfer brings another amount than it logs, so that the difference of the
 * balance counts where one transfer alone made it. `wraps`: it says of wrapping and unwrapping without a Transfer log, and those count.
 * `isNativeAlias`: it is the chain's own coin seen as a token, and counts as that coin.
 */
export const assetKinds = {
  exact: {
    isExact: true,
    isMeasured: false,
    wraps: false,
    isNativeAlias: false,
    description: "every change of a balance is a transfer",
  },
  fee_on_transfer: {
    isExact: false,
    isMeasured: true,
    wraps: false,
    isNativeAlias: false,
    description: "a transfer brings less than it takes",
  },
  rebasing: {
    isExact: false,
    isMeasured: false,
    wraps: false,
    isNativeAlias: false,
    description: "balances also change by themselves",
  },
  weth9: {
    isExact: true,
    isMeasured: false,
    wraps: true,
    isNativeAlias: false,
    description: "wraps and unwraps without a transfer",
  },
  native_alias: {
    isExact: true,
    isMeasured: false,
    wraps: false,
    isNativeAlias: true,
    description: "the chain's own coin seen as a token",
  },
} as const satisfies Record<
  string,
  {
    isExact: boolean;
    isMeasured: boolean;
    wraps: boolean;
    isNativeAlias: boolean;
    description: string;
  }
>;

export type AssetKind = keyof typeof assetKinds;

/** Of an asset where no kind is said. */
export const defaultAssetKind = "exact" satisfies AssetKind;

/** Whether balances also change without a transfer, so that a difference is corrected and is no discrepancy. */
export function isInexact(kind: AssetKind): boolean {
  return !assetKinds[kind].isExact;
}

/** Whether what a transfer brings is measured, because it is not what the log says. */
export function isMeasured(kind: AssetKind): boolean {
  return assetKinds[kind].isMeasured;
}

/** Whether such a movement counts for it: what only some tokens log, such as wrapping, counts only for a kind that says so. */
export function countsMovement(kind: AssetKind, movement: Movement["kind"]): boolean {
  switch (movement) {
    case "transfer":
    case "fee":
    case "income":
      return true;
    case "wrap":
      return assetKinds[kind].wraps;
  }
}

/** Whether it is the chain's own coin seen as a token. */
export function isNativeAlias(kind: AssetKind): boolean {
  return assetKinds[kind].isNativeAlias;
}

/** An asset as the operator configures it. */
export type AssetSpec = {
  code: string;
  address: AssetAddress;
  decimals: number;
  kind: AssetKind;
};

/** What the ledger must know of a configured chain; the chain's own coin is one of the assets. */
export type ChainAssets = { name: string; chainId: number; assets: readonly AssetSpec[] };
