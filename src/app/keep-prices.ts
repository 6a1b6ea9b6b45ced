import { randomUUID } from "node:crypto";
import { createFeedReader } from "../chain/balances/read-feed.ts";
import type { Config } from "../config/config.ts";
import { Fault } from "../domain/fault.ts";
import type { PricedAsset } from "../domain/price/priced-asset.ts";
import {
  expirePrices,
  keepPrices as keepStored,
  readPriceAnchors,
  writePrices,
} from "../ledger/balances/prices.ts";
import { releaseLease, takeLease } from "../ledger/chain/lease.ts";
import { createPrices } from "../price/prices.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Service } from "../runtime/service.ts";
import type { MeasuredBase } from "./base.ts";

/** The limit for reading one price. After it, the next refresh tries again. */
const readTimeoutMs = 5_000;

/** Reads prices from feeds and price sources, and stores them for balances and confirmations. */
export function keepPrices({ config, db, log, metrics }: MeasuredBase): Service {
  const { refreshMs, http } = config.prices;
  const readers = new Map(
    config.chains.map(({ name, rpcUrls: urls, providers }) => [
      name,
      createFeedReader({ urls, providers, timeoutMs: readTimeoutMs, clock }),
    ]),
  );
  const sequencerFeeds = new Map(
    config.chains.map(({ name, sequencerFeed }) => [name, sequencerFeed]),
  );
  const lease = { name: "prices", holder: randomUUID(), ttlMs: 3 * refreshMs };
  return createPrices(
    {
      readFeed(chainName, feed) {
        const read = readers.get(chainName);
        if (read === undefined) throw new Fault("chain_not_found", `No chain '${chainName}'.`);
        return read(feed);
      },
      sequencerFeedOf: (chainName) => sequencerFeeds.get(chainName) ?? null,
      http: { ...http, timeoutMs: readTimeoutMs },
      ledger: {
        writePrices: (prices) => writePrices(db, prices),
        expirePrices: (assets) => expirePrices(db, assets),
        readPriceAnchors: () => readPriceAnchors(db),
        keepPrices: (kept) => keepStored(db, kept),
      },
      takeLease: () => takeLease(db, lease),
      releaseLease: () => releaseLease(db, lease),
      onFailed: metrics.priceFailed,
      clock,
      log,
    },
    { ...assetsOf(config), refreshMs },
  );
}

function assetsOf({ chains }: Pick<Config, "chains">) {
  const all = chains.flatMap(({ name: chainName, nativeAsset, assets }) =>
    [...(nativeAsset === null ? [] : [nativeAsset]), ...assets].map(
      ({ code: assetCode, price }) => ({ chainName, assetCode, price }),
    ),
  );
  return {
    assets: all.flatMap(({ price, ...asset }): PricedAsset[] =>
      price === null ? [] : [{ ...asset, price }],
    ),
    unpriced: all.flatMap(({ price, ...asset }) => (price === null ? [asset] : [])),
  };
}
