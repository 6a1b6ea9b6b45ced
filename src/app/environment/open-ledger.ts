import type { Config } from "../../config/config.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { ChainAssets } from "../../domain/money/asset.ts";
import { decryptSecret, keyCheckOf } from "../../domain/webhook/secret.ts";
import { useAuditKey } from "../../ledger/businesses/audit-key.ts";
import { openAuditKey } from "../../ledger/businesses/open-audit-key.ts";
import { isWaitingForBlocks } from "../../ledger/chain/is-waiting-for-blocks.ts";
import { analyzeUnknown } from "../../ledger/installation/analyze.ts";
import { readInstallation } from "../../ledger/installation/installation.ts";
import { checkKey } from "../../ledger/installation/key-check.ts";
import { migrate, readMigrationState } from "../../ledger/installation/migrate.ts";
import { closeDatabase, type Database, openDatabase } from "../../ledger/postgres/database.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { auditSealing } from "./audit-sealing.ts";
import { applyWhen, chainAssetsOf, settleConfiguration } from "./configuration.ts";
import { type CompleteConfig, type Environment, openEnvironment } from "./environment.ts";
import { ownSessions } from "./pools.ts";

export type OpenLedger = {
  /** Its chains are only those that the ledger knows too. */
  config: CompleteConfig;
  /** The chains and assets that the configuration file watches, whether or not they are applied. */
  configured: readonly ChainAssets[];
  db: Database;
  /** The id of this database. It keeps several Chainbells apart in one Redis. */
  installation: string;
  /** The name of the local chain that development mode runs. Null: none runs. */
  localChain: string | null;
  /** Closes all that was opened, in reverse order. */
  close: () => Promise<void>;
};

/** The time to wait for an unreachable database, in ms, and a signal that ends the wait early. */
export type Patience = { patienceMs: number; stopping: AbortSignal };

/** The pause between two tries to reach the database. */
const retryMs = 500;

/**
 * The kind of process, which decides what it may change in the database. A `daemon` migrates it. It
 * applies its configuration if that was asked for, or if none was applied yet. A `verb` writes only
 * its own changes. One exception: whichever process first opens a new database of development mode
 * prepares it.
 */
type Opener = "daemon" | "verb";

/**
 * Opens the ledger, ready to use: the environment is complete, and the schema is this version's.
 * The chains are those that both the configuration and the ledger have. Logs the part of the
 * configuration that is not applied. Safe for any number of processes at once.
 * @param options.patience null: an unreachable database is a fault at once
 * @throws Fault `database_unavailable`
 * @throws Fault `database_not_migrated` for a verb
 * @throws Fault `wrong_encryption_key` if the database was used with another key
 * @throws Fault the faults of environment, migration and configuration
 */
export async function openLedger(
  config: Config,
  log: Logger,
  options: { opener: Opener; patience: Patience | null },
): Promise<OpenLedger> {
  const needs = options.opener === "daemon" ? "daemon" : "database";
  const environment = await openEnvironment(config, log, needs);
  try {
    return await openWith(environment, log, options);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/**
 * Migrates the database to this version's schema. Changes nothing else.
 * @returns the names of the migrations that were applied
 * @throws Fault as migrate
 */
export async function migrateDatabase(config: Config, log: Logger): Promise<readonly string[]> {
  const environment = await openEnvironment(config, log, "database");
  try {
    return await migrate({ databaseUrl: migratedUrl(environment.config) });
  } finally {
    await environment.close();
  }
}

async function openWith(
  environment: Environment,
  log: Logger,
  { opener, patience }: { opener: Opener; patience: Patience | null },
): Promise<OpenLedger> {
  const { config, local } = environment;
  const { databaseUrl } = config;
  const trying = <T>(work: () => Promise<T>) => patiently(work, log, patience);
  const stopping = patience?.stopping;
  const isNew = await trying(() => prepareSchema(config, log, { opener, stopping }));
  if (isNew && opener === "verb") log.warn({ dataDir: config.dataDir }, "installation.made");
  const kind = opener === "verb" ? "maintenance" : "money";
  const db = openDatabase({ databaseUrl, poolSize: ownSessions, kind });
  try {
    if (opener === "daemon") await analyze(db, log);
    await trying(() => checkKey(db, keyOf(config, opener)));
    const auditKey = await trying(() => openAuditKey(db, auditSealing(config.encryptionKeys)));
    useAuditKey(db, auditKey);
    const configured = chainAssetsOf(config);
    const when = isNew && opener === "verb" ? "first" : applyWhen(config, opener);
    const known = await trying(() => settleConfiguration({ db, log }, configured, when, config));
    const installation = await trying(() => readInstallation(db));
    const close = async () => {
      // The local chain goes on until it is closed too, and would ask a database that is not there.
      local?.mineWhile(async () => false);
      await closeDatabase(db);
      await environment.close();
    };
    local?.mineWhile(() => isWaitingForBlocks(db));
    const chains = config.chains.filter(({ name }) => known.includes(name));
    const localChain = local?.name ?? null;
    return { config: { ...config, chains }, configured, db, installation, localChain, close };
  } catch (error) {
    await closeDatabase(db);
    throw error;
  }
}

/** @returns whether the database was empty @throws Fault `database_not_migrated` */
async function prepareSchema(
  config: CompleteConfig,
  log: Logger,
  { opener, stopping }: { opener: Opener; stopping: AbortSignal | undefined },
): Promise<boolean> {
  const { mode } = config;
  const database = { databaseUrl: migratedUrl(config), stopping };
  const { isEmpty, pending } = await readMigrationState(database);
  if (pending.length === 0) return false;
  if (opener === "verb" && !(mode === "development" && isEmpty)) {
    throw new Fault(
      "database_not_migrated",
      isEmpty
        ? "The database is empty: start the daemon, or run `chainbell migrate`."
        : `The database lacks migration '${pending[0]}': it is of an older version. Start the daemon of this version, or run \`chainbell migrate\`.`,
      { facts: { pending } },
    );
  }
  const applied = await migrate(database);
  if (applied.length > 0) log.info({ applied }, "database.migrated");
  return isEmpty;
}

/** Only makes the first queries faster. A failure is no problem: autovacuum does the same later. */
async function analyze(db: Database, log: Logger): Promise<void> {
  try {
    const { analyzed: tables, left } = await analyzeUnknown(db);
    if (tables.length > 0) log.info({ tables }, "database.analyzed");
    for (const one of left) log.warn(one, "database.not_analyzed");
  } catch (error) {
    log.warn({ error }, "database.not_analyzed");
  }
}

function migratedUrl({ databaseUrl, databaseDirectUrl }: CompleteConfig): string {
  return databaseDirectUrl ?? databaseUrl;
}

function keyOf({ encryptionKeys }: CompleteConfig, opener: Opener): Parameters<typeof checkKey>[1] {
  const [first, ...others] = encryptionKeys;
  return {
    checks: [keyCheckOf(first), ...others.map(keyCheckOf)],
    keeps: opener === "daemon",
    opens: (stored, businessId) => void decryptSecret(encryptionKeys, stored, businessId),
  };
}

async function patiently<T>(
  work: () => Promise<T>,
  log: Logger,
  patience: Patience | null,
): Promise<T> {
  const giveUpAtMs = clock.elapsed() + (patience?.patienceMs ?? 0);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isPassing = faultIn(error)?.code === "database_unavailable";
      const isOver =
        patience === null || patience.stopping.aborted || clock.elapsed() >= giveUpAtMs;
      if (!isPassing || isOver) throw error;
      log.warn({ error }, "database.waiting");
      await clock.sleep(retryMs, patience.stopping);
    }
  }
}
