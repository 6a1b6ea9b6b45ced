import type { Address } from "../chain/address.ts";

/**
 * The source of an asset's price. `isStable`: the asset counts as one dollar while the source's
 * price is close to that.
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
