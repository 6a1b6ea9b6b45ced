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
  /** True while this process reads the prices. The others use the prices that it stores. */
  takeLease: () => Promise<boolean>;
  /** Lets another process read the prices at once. */
  releaseLease: () => Promise<void>;
  clock: Clock;
};

/** The longest pause before a failed step is tried again. */
const maxBackoffMs = 60_000;

/**
 * Refreshes the ledger's prices in the background. Nobody waits for a price, and a stale price is
 * not used. Fixed prices are stored when `start` resolves. Never unhealthy, and never prevents a
 * start: deposits are found and notified without prices.
 */
export function createPrices(
  ports: PricesPorts,
  options: {
    assets: readonly PricedAsset[];
    /** Assets of this process without a source of prices. */
    unpriced: readonly { chainName: string; assetCode: string }[];
    refreshMs: number;
  },
): Service {
  const { ledger, takeLease, releaseLease, clock, log } = ports;
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
    stuckAfterMs: null,
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
    async stop() {
      await loop.stop();
      if (moving.length > 0)
        await releaseLease().catch((error: unknown) => log.debug({ error }, "lease.not_released"));
    },
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
