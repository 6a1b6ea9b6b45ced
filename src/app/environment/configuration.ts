import { askChainIds } from "../../chain/ask-chain-ids.ts";
import type { ChainConfig } from "../../config/config.ts";
import { Fault } from "../../domain/fault.ts";
import type { ChainAssets } from "../../domain/money/asset.ts";
import type { ApplyWhen } from "../../domain/watch/configuration.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { applyAtStart, readConfiguration } from "../../ledger/watchlist/configuration.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { CompleteConfig } from "./environment.ts";

/** The chains and assets that a configuration watches, in the ledger's form. */
export function chainAssetsOf({ chains }: Pick<CompleteConfig, "chains">): ChainAssets[] {
  return chains.map(({ name, chainId, nativeAsset, assets }) => ({
    name,
    chainId,
    assets: [...(nativeAsset === null ? [] : [nativeAsset]), ...assets].map(
      ({ price: _, ...asset }) => asset,
    ),
  }));
}

/** When a process applies its configuration at its start. Null: never. */
export function applyWhen(
  { mode, appliesConfig }: CompleteConfig,
  opener: "daemon" | "verb",
): ApplyWhen | null {
  if (opener === "verb") return null;
  if (mode === "development") return "asked";
  return appliesConfig ? "once" : "first";
}

/**
 * Applies the configuration if `when` allows it, and logs the changes that are not applied. First
 * asks the endpoints of a new chain, because a chain id cannot change once it is applied. The
 * process continues with the chains and assets of the ledger. Safe to repeat.
 * @returns the names of the chains that the ledger knows
 * @throws Fault as applyConfiguration; `wrong_chain_id` if an endpoint of a new chain serves
 *   another
 */
export async function settleConfiguration(
  { db, log }: { db: Database; log: Logger },
  configured: readonly ChainAssets[],
  when: ApplyWhen | null,
  { mode, chains }: Pick<CompleteConfig, "mode" | "chains">,
): Promise<readonly string[]> {
  let stored = await readConfiguration(db, configured);
  // Usually the last start has applied this configuration. Then nothing is locked, and the stored
  // configuration is read only once.
  if (when !== null && (stored.changes.length > 0 || !stored.isKnown)) {
    const added = stored.changes.filter(({ change }) => change === "chain_added");
    const names = new Set(added.map(({ chain }) => chain));
    await Promise.all(chains.filter(({ name }) => names.has(name)).map(requireServed));
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
  if (changes.length > 0)
    log.warn({ changes, remedy: remedyOfPending(mode) }, "configuration.pending");
  const missing = chainNames.filter((known) => !configured.some(({ name }) => name === known));
  if (missing.length > 0) log.warn({ chains: missing }, "configuration.chains_missing");
  return chainNames;
}

/** The chains and assets that the ledger does not watch as the file says, by their names. */
export async function readPending(
  db: Database,
  config: Pick<CompleteConfig, "chains">,
): Promise<string[]> {
  const { changes } = await readConfiguration(db, chainAssetsOf(config));
  return changes.map(({ chain, asset }) => (asset === null ? chain : `${chain} ${asset}`));
}

/** The way to apply what the file has and the ledger does not watch. */
export function remedyOfPending(mode: CompleteConfig["mode"]): string {
  return mode === "development"
    ? "restart the daemon: it applies the file at its start"
    : "look at `chainbell config diff`, then run `chainbell config apply`";
}

/**
 * Ignores an endpoint that does not answer: the watcher waits for it later.
 * @throws Fault `wrong_chain_id`
 */
async function requireServed({ name, chainId, rpcUrls }: ChainConfig): Promise<void> {
  const served = await askChainIds(rpcUrls, clock);
  const other = [...served].find((id) => id !== chainId);
  if (other !== undefined)
    throw new Fault(
      "wrong_chain_id",
      `Chain '${name}' is configured with chain_id ${chainId}, but an endpoint serves chain ${other}: correct chain_id or rpc. Nothing was applied.`,
    );
}
