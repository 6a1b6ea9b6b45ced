import type { Config } from "../../config/config.ts";
import { faultIn } from "../../domain/fault.ts";
import { decryptSecret, keyCheckOf } from "../../domain/webhook/secret.ts";
import { isWaitingForBlocks } from "../../ledger/chain/is-waiting-for-blocks.ts";
import { readInstallation } from "../../ledger/installation/installation.ts";
import { checkKey } from "../../ledger/installation/key-check.ts";
import { migrate } from "../../ledger/installation/migrate.ts";
import { type Database, openDatabase } from "../../ledger/postgres/database.ts";
import { configureChains } from "../../ledger/watchlist/configure-chains.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { type CompleteConfig, type Environment, openEnvironment } from "./environment.ts";

export type OpenLedger = {
  config: CompleteConfig;
  db: Database;
  /** The id of this database: keeps several Chainbells apart in one Redis. */
  installation: string;
  /** Whether the chain is the local one that development mode runs. */
  isLocalChain: boolean;
  /** Closes everything that was opened, the last first. */
  close: () => Promise<void>;
};

/** How long to wait for an unreachable database, and what ends the waiting early. */
export type Patience = { patienceMs: number; stopping: AbortSignal };

/** Between two tries to reach the database. */
const retryMs = 500;

/**
 * The ledger, ready to use: environment complete, database migrated, configured chains known to it. Safe for any
 * number of processes at once.
 * @param needs see openEnvironment
 * @param options.patience null: an unreachable database is a fault at once
 * @throws Fault `database_unavailable`; `wrong_encryption_key` where the database was used with another key; and what environment, migration and configuration throw
 */
export async function openLedger(
  config: Config,
  log: Logger,
  options: { needs: "daemon" | "database"; patience: Patience | null },
): Promise<OpenLedger> {
  const environment = await openEnvironment(config, log, options.needs);
  try {
    return await openWith(environment, log, options.patience);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

async function openWith(
  environment: Environment,
  log: Logger,
  patience: Patience | null,
): Promise<OpenLedger> {
  const { config, mineWhile } = environment;
  const { databaseUrl, pools } = config;
  const applied = await patiently(() => migrate({ databaseUrl }), log, patience);
  if (applied.length > 0) log.info({ applied }, "database.migrated");
  const db = openDatabase({ databaseUrl, poolSize: pools.ledger + pools.reads });
  try {
    await patiently(() => configureChains(db, chainsOf(config)), log, patience);
    const installation = await patiently(() => readInstallation(db), log, patience);
    await patiently(() => checkKey(db, keyOf(config)), log, patience);
    const close = async () => {
      await db.$disconnect();
      await environment.close();
    };
    mineWhile?.(() => isWaitingForBlocks(db));
    return { config, db, installation, isLocalChain: mineWhile !== null, close };
  } catch (error) {
    await db.$disconnect();
    throw error;
  }
}

function keyOf({ encryptionKey }: CompleteConfig): Parameters<typeof checkKey>[1] {
  return {
    check: keyCheckOf(encryptionKey),
    opens: (stored, businessId) => void decryptSecret(encryptionKey, stored, businessId),
  };
}

/** What the ledger must know of the configured chains. */
function chainsOf(config: CompleteConfig): Parameters<typeof configureChains>[1] {
  return config.chains.map(({ name, chainId, nativeAsset, assets }) => ({
    name,
    chainId,
    assets: [...(nativeAsset === null ? [] : [nativeAsset]), ...assets].map(
      ({ price: _, ...asset }) => asset,
    ),
  }));
}

async function patiently<T>(
  work: () => Promise<T>,
  log: Logger,
  patience: Patience | null,
): Promise<T> {
  const giveUpAtMs = clock.now() + (patience?.patienceMs ?? 0);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isPassing = faultIn(error)?.code === "database_unavailable";
      const isOver = patience === null || patience.stopping.aborted || clock.now() >= giveUpAtMs;
      if (!isPassing || isOver) throw error;
      log.warn({ error }, "database.waiting");
      await clock.sleep(retryMs, patience.stopping);
    }
  }
}
