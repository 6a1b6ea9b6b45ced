import type { ChainAssets } from "../../domain/money/asset.ts";
import {
  type ApplyWhen,
  type ConfigurationChange,
  type ConfigurationOutcome,
  digestOf,
} from "../../domain/watch/configuration.ts";
import { record } from "../businesses/audit.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, inTransaction, type Tx } from "../postgres/transaction.ts";
import { configureChains } from "./configure-chains.ts";
import { type AbsentAssets, changesOf, planAssets } from "./plan-assets.ts";

/** A process's configuration, compared with what the ledger watches. */
export type StoredConfiguration = {
  /** Null: no configuration was applied yet. */
  version: bigint | null;
  /** True if this process's configuration was applied before. */
  isKnown: boolean;
  /** All chains that the ledger knows, also those that this process does not have. */
  chainNames: string[];
  /** The changes that applying this process's configuration would make. */
  changes: ConfigurationChange[];
};

/**
 * Compares a process's configuration with what the ledger watches. Writes nothing.
 * @throws Fault `wrong_chain_id`, `asset_decimals_changed`, `invalid_configuration` if it can never
 *   be applied
 */
export async function readConfiguration(
  db: Database,
  chains: readonly ChainAssets[],
): Promise<StoredConfiguration> {
  return inSnapshot(db, async (tx) => ({
    version: (await readLatest(tx))?.version ?? null,
    isKnown: await isKnown(tx, digestOf(chains)),
    chainNames: (await tx.chain.findMany({ select: { name: true } })).map(({ name }) => name),
    changes: await readChanges(tx, chains),
  }));
}

/**
 * Applies a configuration as the next version, all or nothing. A new configuration becomes a
 * version even if it changes nothing. So a later version can tell that it is older.
 * @param request.absent see configureChains
 * @throws Fault see configureChains
 */
export async function applyConfiguration(
  tx: Tx,
  request: { chains: readonly ChainAssets[]; when: ApplyWhen; absent: AbsentAssets },
): Promise<ConfigurationOutcome> {
  const { chains, when, absent } = request;
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended('chainbell.configuration', 0))`;
  const digest = digestOf(chains);
  const latest = await readLatest(tx);
  const version = latest?.version ?? null;
  const isOfBefore = await isKnown(tx, digest);
  const changes = await readChanges(tx, chains);
  if (changes.length > 0) {
    const isFirst = (await tx.chain.findFirst({ select: { name: true } })) === null;
    if (when === "first" && !isFirst)
      return { kind: "pending", why: "not_asked", version, changes };
    if (when === "once" && isOfBefore && !isFirst)
      return { kind: "pending", why: "older", version, changes };
  }
  const applied = await configureChains(tx, chains, absent);
  if (applied.length === 0 && isOfBefore) return { kind: "same", version };
  const next = (version ?? 0n) + 1n;
  await tx.configuration.create({ data: { version: next, digest } });
  return applied.length === 0
    ? { kind: "same", version: next }
    : { kind: "applied", version: next, changes: applied };
}

/**
 * As applyConfiguration, for a daemon at its start. The audit trail names the daemon as the actor.
 */
export async function applyAtStart(
  db: Database,
  request: { chains: readonly ChainAssets[]; when: ApplyWhen },
): Promise<ConfigurationOutcome> {
  return inTransaction(db, async (tx) => {
    const outcome = await applyConfiguration(tx, { ...request, absent: "recorded" });
    if (outcome.kind === "applied") {
      const details = { version: Number(outcome.version), changes: outcome.changes };
      const by = { name: "daemon", via: "system", address: null } as const;
      await record(
        tx,
        { db, by, businessId: null },
        { action: "config.apply", subject: null, details },
      );
    }
    return outcome;
  });
}

async function readLatest(tx: Tx): Promise<{ version: bigint } | null> {
  return tx.configuration.findFirst({ orderBy: { version: "desc" } });
}

async function isKnown(tx: Tx, digest: string): Promise<boolean> {
  return (await tx.configuration.findFirst({ where: { digest } })) !== null;
}

async function readChanges(tx: Tx, chains: readonly ChainAssets[]): Promise<ConfigurationChange[]> {
  const changes: ConfigurationChange[] = [];
  for (const chain of chains)
    changes.push(...changesOf(chain, await planAssets(tx, chain, "recorded")));
  return changes;
}
