import type { Price } from "../domain/price.ts";

/** What the operator says a unit of an asset is worth. */
export type FixedPrice = { chainName: string; assetCode: string; usd: string };

export type FixedPrices = {
  /** The price of an asset on its chain, or null where none is configured. */
  priceOf: (chainName: string, assetCode: string) => Price | null;
};

/** Prices that never move: as of the moment the configuration that holds them was read. */
export function createFixedPrices(prices: readonly FixedPrice[], asOfMs: number): FixedPrices {
  const byAsset = new Map<string, Price>();
  for (const { chainName, assetCode, usd } of prices) {
    byAsset.set(keyOf(chainName, assetCode), { usd, asOfMs });
  }
  return { priceOf: (chainName, assetCode) => byAsset.get(keyOf(chainName, assetCode)) ?? null };
}

function keyOf(chainName: string, assetCode: string): string {
  return JSON.stringify([chainName, assetCode]);
}
