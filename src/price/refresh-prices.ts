import type { Address } from "../domain/chain/address.ts";
import type { FeedWord, Standing } from "../domain/price/feed.ts";
import type { AssetPrice, PriceAnchor, PriceProof, PriceSource } from "../domain/price/price.ts";
import type { PricedAsset } from "../domain/price/priced-asset.ts";
import type { Logger } from "../runtime/logger.ts";
import { isNearOne } from "./decimal.ts";
import { type HttpSource, readHttpPrices } from "./http-source.ts";
import { type Judged, judgeFeed, judgeSequencer } from "./judge-feed.ts";
import { judgeStanding } from "./judge-standing.ts";

export type RefreshPorts = {
  /**
   * Reads a Chainlink feed of a configured chain. Rejects if no endpoint answers, or if no two
   * answering hosts agree.
   */
  readFeed: (chainName: string, feed: Address) => Promise<FeedWord>;
  /** The feed that reports whether a chain's sequencer is up. Null: it has none. */
  sequencerFeedOf: (chainName: string) => Address | null;
  http: HttpSource;
  ledger: {
    writePrices: (prices: readonly AssetPrice[]) => Promise<void>;
    expirePrices: (assets: readonly { chainName: string; assetCode: string }[]) => Promise<void>;
    readPriceAnchors: () => Promise<
      readonly { chainName: string; assetCode: string; anchor: PriceAnchor }[]
    >;
  };
  /** Called if a price could not be read, or may not be used. */
  onFailed: (source: PriceSource) => void;
  clock: { now: () => number };
  log: Logger;
};

type Priced = Judged & { kind: "price" };
type Unusable = Exclude<Judged, Priced>;

/** Out of reach, or not supported: the last price is used until it is too old. */
type Unpriced =
  | Unusable
  | { kind: "unshown"; reason: string }
  | { kind: "unreachable"; error: unknown };

/** The answer of a source, and the hosts that gave it. */
type Outcome = (Priced & { standing: Standing }) | Unpriced;

/** A price that is used. `isAnchor`: later prices are compared with it. */
type Kept = Priced & { proof: PriceProof; isAnchor: boolean };

/**
 * Reads every price that is not fixed, and stores the results. A source that fails affects only its
 * own prices.
 */
export async function refreshPrices(
  ports: RefreshPorts,
  assets: readonly PricedAsset[],
): Promise<{ priced: number; failed: number }> {
  const outcomes = new Map<PricedAsset, Outcome>([
    ...(await readFeeds(ports, assets)),
    ...(await readKeys(ports, assets)),
  ]);
  const anchors = new Map(
    (await ports.ledger.readPriceAnchors()).map(({ anchor, ...asset }) => [keyOf(asset), anchor]),
  );
  const prices: AssetPrice[] = [];
  const refused: PricedAsset[] = [];
  for (const [asset, outcome] of outcomes) {
    const judged = judgeOutcome(asset, outcome, anchors.get(keyOf(asset)));
    if (judged.kind === "price") prices.push(toAssetPrice(asset, judged));
    else if (judged.kind === "refused") refused.push(asset);
    if (judged.kind !== "price") reportUnpriced(ports, asset, judged);
  }
  await ports.ledger.writePrices(prices);
  await ports.ledger.expirePrices(refused.map(({ price: _, ...asset }) => asset));
  return { priced: prices.length, failed: outcomes.size - prices.length };
}

function judgeOutcome(
  asset: PricedAsset,
  outcome: Outcome,
  anchor: PriceAnchor | undefined,
): Kept | Unpriced {
  if (outcome.kind !== "price") return outcome;
  // A price from another feed or key says nothing about this one.
  const known = anchor?.origin === originOf(asset) ? anchor : null;
  const judgement = judgeStanding(outcome.standing, outcome, known);
  return judgement.kind === "kept" ? { ...outcome, ...judgement, kind: "price" } : judgement;
}

/** The fixed prices. */
export function fixedPrices(assets: readonly PricedAsset[], nowMs: number): AssetPrice[] {
  return assets.flatMap(({ chainName, assetCode, price }): AssetPrice[] => {
    const fixed = { freshUntilMs: null, proof: null, anchor: null };
    const known = { chainName, assetCode, asOfMs: nowMs, ...fixed };
    if (price.kind === "fixed") return [{ ...known, usd: price.usd, source: "fixed" }];
    return price.kind === "stable" ? [{ ...known, usd: "1", source: "pinned" }] : [];
  });
}

/**
 * The price to store. A stablecoin is one dollar while its source is within half a percent of that.
 * Otherwise its source's price counts.
 */
function toAssetPrice(asset: PricedAsset, kept: Kept): AssetPrice {
  const { chainName, assetCode, price } = asset;
  const { usd, asOfMs, freshUntilMs, proof, isAnchor } = kept;
  const anchor = isAnchor ? { usd, asOfMs, proof, origin: originOf(asset) } : null;
  const known = { chainName, assetCode, asOfMs, freshUntilMs, proof, anchor };
  const isStable = "isStable" in price && price.isStable;
  if (isStable && isNearOne(usd)) return { ...known, usd: "1", source: "pinned" };
  return { ...known, usd, source: price.kind === "http" ? "http" : "chainlink" };
}

function keyOf({ chainName, assetCode }: Pick<PricedAsset, "chainName" | "assetCode">): string {
  return `${chainName}/${assetCode}`;
}

/** The feed or key that a price is read from. */
function originOf({ price }: PricedAsset): string {
  switch (price.kind) {
    case "chainlink":
      return `${price.chainName}/${price.feed}`;
    case "http":
      return price.key;
    case "fixed":
    case "stable":
      return price.kind;
  }
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
        const word = await ports.readFeed(price.chainName, price.feed);
        const judged = judgeFeed(word, price.heartbeatMs, ports.clock.now());
        return saidBy(word.standing, judged);
      });
      return [asset, outcome];
    }),
  );
}

/** If the other hosts are silent, one host's refusal does not remove a price. */
function saidBy(standing: Standing, judged: Judged): Outcome {
  if (judged.kind === "price") return { ...judged, standing };
  return standing === "silent" ? { kind: "unshown", reason: judged.reason } : judged;
}

/** The reason why no feed of a chain may be used now. Null: they may be used. */
async function doubtOf(ports: RefreshPorts, chainName: string): Promise<Unpriced | null> {
  const feed = ports.sequencerFeedOf(chainName);
  if (feed === null) return null;
  try {
    const word = await ports.readFeed(chainName, feed);
    if (word.standing === "silent")
      return { kind: "unshown", reason: "only one host says how the sequencer is" };
    const reason = judgeSequencer(word, ports.clock.now());
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
    return keyed.map(({ asset, key }) => [asset, saidBy("alone", judged.get(key) ?? unknown)]);
  } catch (error) {
    return keyed.map(({ asset }) => [asset, { kind: "unreachable", error }]);
  }
}

async function outcomeOf(read: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    return { kind: "unreachable", error };
  }
}

function reportUnpriced(ports: RefreshPorts, asset: PricedAsset, outcome: Unpriced): void {
  const { chainName: chain, assetCode, price } = asset;
  ports.onFailed(price.kind === "http" ? "http" : "chainlink");
  const why =
    outcome.kind === "unreachable" ? { error: outcome.error } : { reason: outcome.reason };
  ports.log.warn({ chain, asset: assetCode, source: price.kind, ...why }, "price.failed");
}
