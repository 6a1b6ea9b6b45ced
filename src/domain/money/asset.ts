import type { AssetAddress, Movement } from "./movement.ts";

/**
 * All ways in which a token may behave. The configuration's schema is made from this table, and a
 * test compares the database's CHECK with it. Nothing else names a kind: each difference between
 * kinds is stated here once.
 *
 * - `isExact`: only transfers change its balances, so any other difference is a discrepancy. If
 *   false, the reconciler corrects a difference by an adjustment.
 * - `isMeasured`: a transfer brings another amount than it logs. The change of the balance counts,
 *   if only one transfer made it.
 * - `wraps`: the token reports wrapping and unwrapping without a Transfer log, and those reports
 *   count.
 * - `isNativeAlias`: the token is the chain's coin in the form of a token, and counts as that coin.
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

/** The kind of an asset without a configured kind. */
export const defaultAssetKind = "exact" satisfies AssetKind;

/**
 * True if balances also change without a transfer. A difference is then corrected, and is no
 * discrepancy.
 */
export function isInexact(kind: AssetKind): boolean {
  return !assetKinds[kind].isExact;
}

/** True if the amount of a transfer is measured, because its log has another amount. */
export function isMeasured(kind: AssetKind): boolean {
  return assetKinds[kind].isMeasured;
}

/**
 * True if a movement of that kind counts for the token. Movements that only some tokens log, such
 * as wrapping, need a kind with that trait.
 */
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

/** True if the token is the chain's own coin seen as a token. */
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

/**
 * The facts that the ledger needs about a configured chain. The chain's coin is one of its assets.
 */
export type ChainAssets = { name: string; chainId: number; assets: readonly AssetSpec[] };
