import type { Address } from "../domain/chain/address.ts";
import type { AssetPrice, PriceSource } from "../domain/price/price.ts";
import type { PricedAsset } from "../domain/price/priced-asset.ts";
import type { Logger } from "../runtime/logger.ts";
import { isNearOne } from "./decimal.ts";
import { type HttpSource, readHttpPrices } from "./http-source.ts";
import { type FeedReading, type Judged, judgeFeed, judgeSequencer } from "./judge-feed.ts";

export type RefreshPorts = {
  /** Reads a Chainlink feed of a configured chain; rejects where no endpoint answers. */
  readFeed: (chainName: string, feed: Address) => Promise<FeedReading>;
  /** The feed that reports whether a chain's sequencer is up; null where it has none. */
  sequencerFeedOf: (chainName: string) => Address | null;
  http: HttpSource;
  ledger: {
    writePrices: (prices: readonly AssetPrice[]) => Promise<void>;
    expirePrices: (assets: readonly { chainName: string; assetCode: string }[]) => Promise<void>;
  };
  /** A price could not be read, or may not be used. */
  onFailed: (source: PriceSource) => void;
  clock: { now: () => number };
  log: Logger;
};

/** Unreachable: the last price is used until it is too old. */
type Outcome = Judged | { kind: "unreachable"; error: unknown };

/**
 * Reads every price that moves and writes what it learned. A source that fails costs the prices it
 * is the source of, and no other one.
 */
export async function refreshPrices(
  ports: RefreshPorts,
  assets: readonly PricedAsset[],
): Promise<{ priced: number; failed: number }> {
  const outcomes = new Map<PricedAsset, Outcome>([
    ...(await readFeeds(ports, assets)),
    ...(await readKeys(ports, assets)),
  ]);
  const prices: AssetPrice[] = [];
  const refused: PricedAsset[] = [];
  for (const [asset, outcome] of outcomes) {
    if (outcome.kind === "price") prices.push(toAssetPrice(asset, outcome));
    else if (outcome.kind === "refused") refused.push(asset);
    if (outcome.kind !== "price") reportUnpriced(ports, asset, outcome);
  }
  await ports.ledger.writePrices(prices);
  await ports.ledger.expirePrices(refused.map(({ price: _, ...asset }) => asset));
  return { priced: prices.length, failed: outcomes.size - prices.length };
}

/** The fixed prices. */
export function fixedPrices(assets: readonly PricedAsset[], nowMs: number): AssetPrice[] {
  return assets.flatMap(({ chainName, assetCode, price }): AssetPrice[] => {
    const known = { chainName, assetCode, asOfMs: nowMs, freshUntilMs: null };
    if (price.kind === "fixed") return [{ ...known, usd: price.usd, source: "fixed" }];
    return price.kind === "stable" ? [{ ...known, usd: "1", source: "pinned" }] : [];
  });
}

/**
 * A stablecoin is one dollar while its source is within half a percent of that; else it is what the
 * source says.
 */
function toAssetPrice(asset: PricedAsset, judged: Judged & { kind: "price" }): AssetPrice {
  const { chainName, assetCode, price } = asset;
  const { usd, asOfMs, freshUntilMs } = judged;
  const known = { chainName, assetCode, asOfMs, freshUntilMs };
  const isStable = "isStable" in price && price.isStable;
  if (isStable && isNearOne(usd)) return { ...known, usd: "1", source: "pinned" };
  return { ...known, usd, source: price.kind === "http" ? "http" : "chainlink" };
}

async function readFeeds(
  ports: RefreshPorts,
  assets: readonly PricedAsset[],
): Promise<[PricedAsset, Outcome][]> {
  const feeds = assets.flatMap((asset) =>
    asset.price.kind === "chainlink" ? [{ asset, price: asset.price }] : [],
  );
  const names = [...new Set(feeds.map(({ price }) => price.chainName))];
  const doubts = new Map(
    await Promise.all(names.map(async (name) => [name, await doubtOf(ports, name)] as const)),
  );
  return Promise.all(
    feeds.map(async ({ asset, price }): Promise<[PricedAsset, Outcome]> => {
      const doubt = doubts.get(price.chainName) ?? null;
      if (doubt !== null) return [asset, doubt];
      const outcome = await outcomeOf(async () => {
        const reading = await ports.readFeed(price.chainName, price.feed);
        return judgeFeed(reading, price.heartbeatMs, ports.clock.now());
      });
      return [asset, outcome];
    }),
  );
}

/** Why no feed of a chain may be used now; null: they may. */
async function doubtOf(ports: RefreshPorts, chainName: string): Promise<Outcome | null> {
  const feed = ports.sequencerFeedOf(chainName);
  if (feed === null) return null;
  try {
    const reason = judgeSequencer(await ports.readFeed(chainName, feed), ports.clock.now());
    return reason === null ? null : { kind: "refused", reason };
  } catch (error) {
    return { kind: "unreachable", error };
  }
}

async function readKeys(
  ports: RefreshPorts,
  assets: readonly PricedAsset[],
): Promise<[PricedAsset, Outcome][]> {
  const keyed = assets.flatMap((asset) =>
    asset.price.kind === "http" ? [{ asset, key: asset.price.key }] : [],
  );
  if (keyed.length === 0) return [];
  const keys = [...new Set(keyed.map(({ key }) => key))];
  try {
    const judged = await readHttpPrices(ports.http, keys, ports.clock.now());
    const unknown: Judged = { kind: "refused", reason: "the source does not know it" };
    return keyed.map(({ asset, key }) => [asset, judged.get(key) ?? unknown]);
  } catch (error) {
    return keyed.map(({ asset }) => [asset, { kind: "unreachable", error }]);
  }
}

async function outcomeOf(read: () => Promise<Judged>): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    return { kind: "unreachable", error };
  }
}

function reportUnpriced(
  ports: RefreshPorts,
  asset: PricedAsset,
  outcome: Exclude<Outcome, { kind: "price" }>,
): void {
  const { chainName: chain, assetCode, price } = asset;
  ports.onFailed(price.kind === "http" ? "http" : "chainlink");
  const why = outcome.kind === "refused" ? { reason: outcome.reason } : { error: outcome.error };
  ports.log.warn({ chain, asset: assetCode, source: price.kind, ...why }, "price.failed");
}
