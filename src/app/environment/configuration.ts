import type { ChainAssets } from "../../domain/money/asset.ts";
import type { ApplyWhen } from "../../domain/watch/configuration.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { applyAtStart, readConfiguration } from "../../ledger/watchlist/configuration.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { CompleteConfig } from "./environment.ts";

/** The chains and assets that a configuration watches, as the ledger knows them. */
export function chainAssetsOf({ chains }: Pick<CompleteConfig, "chains">): ChainAssets[] {
  return chains.map(({ name, chainId, nativeAsset, assets }) => ({
    name,
    chainId,
    assets: [...(nativeAsset === null ? [] : [nativeAsset]), ...assets].map(
      ({ price: _, ...asset }) => asset,
    ),
  }));
}

/** When a process applies its configuration as it starts; null: never. */
export function applyWhen(
  { mode, appliesConfig }: CompleteConfig,
  opener: "daemon" | "verb",
): ApplyWhen | null {
  if (opener === "verb") return null;
  if (mode === "development") return "asked";
  return appliesConfig ? "once" : "first";
}

/**
 * Applies the configuration where `when` allows it, and logs the changes that are not applied. The
 * process goes on with the ledger's chains and assets. Safe to repeat.
 * @returns the names of the chains that the ledger knows
 * @throws Fault see applyConfiguration
 */
export async function settleConfiguration(
  { db, log }: { db: Database; log: Logger },
  configured: readonly ChainAssets[],
  when: ApplyWhen | null,
  mode: CompleteConfig["mode"],
): Promise<readonly string[]> {
  let stored = await readConfiguration(db, configured);
  // Nearly every start finds the configuration applied by the start before. Then nothing is locked,
  // and the configuration is read only once.
  if (when !== null && (stored.changes.length > 0 || !stored.isKnown)) {
    const outcome = await applyAtStart(db, { chains: configured, when });
    if (outcome.kind === "applied") {
      const { version, changes } = outcome;
      log.info({ version: Number(version), changes }, "configuration.applied");
    }
    if (outcome.kind === "pending" && outcome.why === "older") {
      log.warn({ version: Number(outcome.version) }, "configuration.older");
    }
    stored = await readConfiguration(db, configured);
  }
  const { chainNames, changes } = stored;
  if (changes.length > 0) {
    const remedy =
      mode === "development"
        ? "nothing of it is done: restart the daemon, which applies the file at its start"
        : "nothing of it is done: see `chainbell config diff` and `chainbell config apply`";
    log.warn({ changes, remedy }, "configuration.pending");
  }
  const missing = chainNames.filter((known) => !configured.some(({ name }) => name === known));
  if (missing.length > 0) log.warn({ chains: missing }, "configuration.chains_missing");
  return chainNames;
}
