import type { Address } from "../chain/address.ts";

/**
 * The source of the price of an asset. `isStable`: the asset is taken for one dollar while the
 * source is near that.
 */
export type PriceConfig =
  | { kind: "fixed"; usd: string }
  | { kind: "stable" }
  | {
      kind: "chainlink";
      chainName: string;
      feed: Address;
      heartbeatMs: number;
      isStable: boolean;
    }
  | { kind: "http"; key: string; isStable: boolean };

/** An asset and the source of its price. */
export type PricedAsset = { chainName: string; assetCode: string; price: PriceConfig };
