import type { AssetAddress } from "./movement.ts";

/**
 * How a token behaves. `exact`: every change of a balance is a transfer. `fee_on_transfer`, `rebasing`: balances also
 * change by themselves. `weth9`: wraps and unwraps without a transfer. `native_alias`: the chain's own coin seen as a token.
 */
export const assetKinds = [
  "exact",
  "fee_on_transfer",
  "rebasing",
  "weth9",
  "native_alias",
] as const;

export type AssetKind = (typeof assetKinds)[number];

/** An asset as the operator configures it. */
export type AssetSpec = {
  code: string;
  address: AssetAddress;
  decimals: number;
  kind: AssetKind;
};

/** What the ledger must know of a configured chain; the chain's own coin is one of the assets. */
export type ChainAssets = { name: string; chainId: number; assets: readonly AssetSpec[] };
