import type { AssetAddress, Movement } from "./movement.ts";

/**
 * Every way in which a token may behave. The configuration's schema follows from this table. A test
 * holds the database's CHECK against it. Nothing else names a kind: each difference between kinds
 * is said here once.
 *
 * - `isExact`: its balances change by transfers alone, so any other difference is a discrepancy. If
 *   false, the reconciler corrects a difference by an adjustment.
 * - `isMeasured`: a transfer brings another amount than it logs. The difference of the balance
 *   counts if one transfer alone made it.
 * - `wraps`: the token reports wrapping and unwrapping without a Transfer log, and those reports
 *   count.
 * - `isNativeAlias`: the token is the chain's own coin seen as a token, and counts as that coin.
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

/** The kind of an asset that names none. */
export const defaultAssetKind = "exact" satisfies AssetKind;

/**
 * True if balances also change without a transfer. A difference is then corrected and is no
 * discrepancy.
 */
export function isInexact(kind: AssetKind): boolean {
  return !assetKinds[kind].isExact;
}

/** True if the amount that a transfer brings is measured, because the log says another amount. */
export function isMeasured(kind: AssetKind): boolean {
  return assetKinds[kind].isMeasured;
}

/**
 * True if a movement of that kind counts for the token. Movements that only some tokens log, such
 * as wrapping, count only for a kind that says so.
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
 * The facts that the ledger needs of a configured chain. The chain's own coin is one of the assets.
 */
export type ChainAssets = { name: string; chainId: number; assets: readonly AssetSpec[] };
