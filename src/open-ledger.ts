import type { Config } from "./config.ts";
import { faultIn } from "./domain/fault.ts";
import { type CompleteConfig, type Environment, openEnvironment } from "./environment.ts";
import { configureChains } from "./ledger/configure-chains.ts";
import { type Database, openDatabase } from "./ledger/database.ts";
import { migrate } from "./ledger/migrate.ts";
import { systemClock as clock } from "./runtime/clock.ts";
import type { Logger } from "./runtime/logger.ts";

export type OpenLedger = {
  config: CompleteConfig;
  db: Database;
  isLocalChain: boolean;
  /** Lets go of everything that was opened, the last first. */
  close: () => Promise<void>;
};

/** Between two tries to reach the database. */
const retryMs = 500;

/**
 * The ledger, ready to use: environment complete, database migrated, configured chains known to it. Safe for any
 * number of processes at once.
 * @param needs see openEnvironment
 * @param patienceMs how long an unreachable database is waited for
 * @throws Fault `database_unavailable` after that, and what environment, migration and configuration throw
 */
export async function openLedger(
  config: Config,
  log: Logger,
  options: { needs: "daemon" | "database"; patienceMs: number },
): Promise<OpenLedger> {
  const environment = await openEnvironment(config, log, options.needs);
  try {
    return await openWith(environment, log, options.patienceMs);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

async function openWith(
  environment: Environment,
  log: Logger,
  patienceMs: number,
): Promise<OpenLedger> {
  const { config, isLocalChain } = environment;
  const { databaseUrl, pools } = config;
  const applied = await patiently(() => migrate({ databaseUrl }), log, patienceMs);
  if (applied.length > 0) log.info({ applied }, "database.migrated");
  const db = openDatabase({ databaseUrl, poolSize: pools.ledger + pools.reads });
  try {
    const chains = config.chains.map(({ name, chainId, nativeAsset, assets }) => ({
      name,
      chainId,
      assets: [nativeAsset, ...assets].map(({ usd: _, ...asset }) => asset),
    }));
    await configureChains(db, chains);
  } catch (error) {
    await db.$disconnect();
    throw error;
  }
  const close = async () => {
    await db.$disconnect();
    await environment.close();
  };
  return { config, db, isLocalChain, close };
}

async function patiently<T>(work: () => Promise<T>, log: Logger, patienceMs: number): Promise<T> {
  const giveUpAtMs = clock.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (faultIn(error)?.code !== "database_unavailable" || clock.now() >= giveUpAtMs) throw error;
      log.warn({ error }, "database.waiting");
      await clock.sleep(retryMs, new AbortController().signal);
    }
  }
}
