import type { PriceSource } from "../domain/price/price.ts";
import type { PricedAsset } from "../domain/price/priced-asset.ts";
import type { Clock } from "../runtime/clock.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import { fixedPrices, type RefreshPorts, refreshPrices } from "./refresh-prices.ts";

export type PricesPorts = Omit<RefreshPorts, "clock" | "ledger"> & {
  ledger: RefreshPorts["ledger"] & {
    keepPrices: (
      kept: readonly { chainName: string; assetCode: string; sources: readonly PriceSource[] }[],
    ) => Promise<void>;
  };
  /** True while this process is the one that reads prices; the others use what it wrote. */
  takeLease: () => Promise<boolean>;
  clock: Clock;
};

/** A failing step is tried again after at most this. */
const maxBackoffMs = 60_000;

/**
 * Keeps the ledger's prices fresh, in the background: nobody ever waits for a price, and one that
 * is stale is none. Fixed prices are there once `start` resolves. Never unhealthy and never a
 * reason not to start: without prices deposits are found and notified all the same.
 */
export function createPrices(
  ports: PricesPorts,
  options: {
    assets: readonly PricedAsset[];
    /** Assets of this process that have no source of prices. */
    unpriced: readonly { chainName: string; assetCode: string }[];
    refreshMs: number;
  },
): Service {
  const { ledger, takeLease, clock, log } = ports;
  const { assets, unpriced, refreshMs } = options;
  const moving = assets.filter(({ price }) => price.kind === "chainlink" || price.kind === "http");
  const loop = createLoop({
    name: "prices",
    async step() {
      if (await takeLease()) log.debug(await refreshPrices(ports, moving), "prices.refreshed");
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "prices.step_failed"),
    clock,
    pollMs: refreshMs,
    maxBackoffMs: Math.max(refreshMs, maxBackoffMs),
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  return {
    name: "prices",
    async start() {
      try {
        await ledger.keepPrices([
          ...assets.map(keptOf),
          ...unpriced.map((asset) => ({ ...asset, sources: [] })),
        ]);
        await ledger.writePrices(fixedPrices(assets, clock.now()));
      } catch (error) {
        log.warn({ error }, "prices.not_written");
      }
      if (moving.length > 0) await loop.start();
    },
    stop: loop.stop,
    trouble: () => null,
  };
}

function keptOf({ chainName, assetCode, price }: PricedAsset) {
  return { chainName, assetCode, sources: sourcesOf(price) };
}

function sourcesOf(price: PricedAsset["price"]): PriceSource[] {
  switch (price.kind) {
    case "fixed":
      return ["fixed"];
    case "stable":
      return ["pinned"];
    case "chainlink":
    case "http":
      return price.isStable ? [price.kind, "pinned"] : [price.kind];
  }
}
