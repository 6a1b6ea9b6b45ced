import type { Address } from "../chain/address.ts";

/** Where the price of an asset comes from. `isStable`: it is taken for one dollar while the source is near that. */
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

/** An asset and where its price comes from. */
export type PricedAsset = { chainName: string; assetCode: string; price: PriceConfig };
