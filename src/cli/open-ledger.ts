import type { Config } from "../config.ts";
import { openEnvironment } from "../environment.ts";
import { configureChains } from "../ledger/configure-chains.ts";
import { type Database, openDatabase } from "../ledger/database.ts";
import { migrate } from "../ledger/migrate.ts";
import type { Logger } from "../runtime/logger.ts";

/** A ledger that is open: migrated, its chains configured, in development mode its PostgreSQL running. */
export type OpenLedger = {
  db: Database;
  /** As loaded, with what development mode filled in (the local chain). */
  config: Config;
  close: () => Promise<void>;
};

/** A verb does one thing after another. */
const poolSize = 2;

/**
 * Opens the ledger for one verb: beside a daemon that runs, or without one.
 * @throws Fault `database_unavailable` and whatever else migrating, configuring and the embedded PostgreSQL throw
 */
export async function openLedger(loaded: Config, log: Logger): Promise<OpenLedger> {
  const environment = await openEnvironment(loaded, log, "database");
  const { config } = environment;
  const { databaseUrl } = config;
  const db = openDatabase({ databaseUrl, poolSize });
  const close = async () => {
    await db.$disconnect();
    await environment.close();
  };
  try {
    await migrate({ databaseUrl });
    await configureChains(
      db,
      config.chains.map(({ name, chainId, nativeAsset, assets }) => ({
        name,
        chainId,
        assets: [nativeAsset, ...assets].map(({ usd: _, ...asset }) => asset),
      })),
    );
    return { db, config, close };
  } catch (error) {
    await close();
    throw error;
  }
}
