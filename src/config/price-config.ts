import type { PriceConfig } from "../domain/price/priced-asset.ts";
import { type ConfigFault, pathText } from "./config-fault.ts";
import type { FileChain, FileConfig } from "./schema/file-schema.ts";
import { defaultPriceUrl, type FilePrice } from "./schema/price-schema.ts";

export type PricesConfig = {
  refreshMs: number;
  http: { url: string; maxAgeMs: number; minConfidence: number };
};

const minuteMs = 60_000;

/** The confidence that DefiLlama itself calls good. */
const defaultMinConfidence = "0.9";

export function toPrices(file: NonNullable<FileConfig["prices"]>): PricesConfig {
  return {
    refreshMs: file.refresh ?? minuteMs,
    http: {
      url: file.http?.url ?? defaultPriceUrl,
      maxAgeMs: file.http?.max_age ?? 60 * minuteMs,
      minConfidence: Number(file.http?.min_confidence ?? defaultMinConfidence),
    },
  };
}

/** The configured `price` of an asset of this chain. Null: none is configured. */
export function toPrice(chainName: string, price: FilePrice | undefined): PriceConfig | null {
  if (price === undefined) return null;
  const { usd, chainlink, heartbeat, chain, http, stable: isStable = false } = price;
  if (usd !== undefined) return { kind: "fixed", usd };
  if (http !== undefined) return { kind: "http", key: http, isStable };
  if (chainlink === undefined || heartbeat === undefined) return { kind: "stable" };
  const feedChain = chain ?? chainName;
  return {
    kind: "chainlink",
    chainName: feedChain,
    feed: chainlink,
    heartbeatMs: heartbeat,
    isStable,
  };
}

/** Finds feeds on chains that are not configured, which no endpoint could read. */
export function unknownFeedChains(file: FileConfig): ConfigFault[] {
  const chains = file.chains ?? [];
  const names = chains.map((chain) => chain.name);
  const faultOf = (path: PropertyKey[], price: FilePrice | undefined): ConfigFault[] =>
    price?.chain === undefined || names.includes(price.chain)
      ? []
      : [
          {
            path: pathText([...path, "price", "chain"]),
            message: `expected one of the configured chains: ${names.join(", ")}`,
          },
        ];
  return chains.flatMap((chain, index) => [
    ...faultOf(["chains", index, "native_asset"], nativePriceOf(chain)),
    ...(chain.assets ?? []).flatMap((asset, at) =>
      faultOf(["chains", index, "assets", at], asset.price),
    ),
  ]);
}

/** The price of the chain's coin. Undefined if the chain has no coin. */
function nativePriceOf({ native_asset: native }: FileChain): FilePrice | undefined {
  return native === "none" ? undefined : native?.price;
}
