import type { ChainConfig, Config } from "../../config/config.ts";
import { parseAddress } from "../../domain/chain/address.ts";
import { nothingUnread } from "../../domain/chain/block-proof.ts";
import { usualWitness } from "../../domain/chain/confirmation.ts";
import { noProviders } from "../../domain/chain/endpoint-host.ts";
import { expectedProof } from "../../domain/chain/expected-proof.ts";
import { profileOf } from "../../domain/chain/profiles/known-profiles.ts";
import { Fault } from "../../domain/fault.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { Keyring } from "../../domain/webhook/secret.ts";
import type { Logger } from "../../runtime/logger.ts";

/**
 * A configuration with nothing missing. Production requires all of it; development mode supplies
 * the rest.
 */
export type CompleteConfig = Config & { databaseUrl: string; encryptionKeys: Keyring };

export type Environment = {
  config: CompleteConfig;
  /** The local chain of development mode. Null: there is none. */
  local: LocalChain | null;
  /**
   * Reads how many bytes are free on the disk of PostgreSQL. Null: the disk may be another
   * machine's.
   */
  readDatabaseRoom: (() => Promise<number>) | null;
  close: () => Promise<void>;
};

type LocalChain = {
  name: string;
  /** Makes blocks on the local chain while `isAwaited` answers true. Does nothing in a verb. */
  mineWhile: (isAwaited: () => Promise<boolean>) => void;
};

/** The name of the local chain in the ledger and in the API. */
const localName = "anvil";

/** Enough blocks to see a transaction pending, and few enough that nobody has to wait. */
const localConfirmations = 2;

/** Short, because the local chain costs nothing to ask. */
const localPollMs = 100;

/** Shorter than in production, because ten minutes is too long to wait in development. */
const localReconcileMs = 30_000;

/** Empty blocks that follow a transaction on the local chain, so that it is confirmed. */
const settling = { blocks: 3, everyMs: 400, awaitedEveryMs: 1_500 };

/**
 * Supplies what development mode may leave out (docs/contract.md#development-mode). That is an
 * embedded PostgreSQL, an encryption key, and a local chain with a demo token. The local chain
 * comes before those of the file (docs/decisions/0098-the-local-chain-stays.md). In production,
 * nothing is added.
 * @param needs `daemon` also locks the data directory and starts the local chain; `database` only
 *   looks for a local chain that runs
 * @throws Fault `data_directory_in_use`, `embedded_postgres_failed`, `local_chain_failed`
 */
export async function openEnvironment(
  config: Config,
  log: Logger,
  needs: "daemon" | "database",
): Promise<Environment> {
  if (config.mode === "production") {
    return {
      config: completed(config),
      local: null,
      readDatabaseRoom: null,
      close: async () => {},
    };
  }
  // Loaded only here: a production installation leaves the development dependencies out.
  const { lockDataDirectory } = await import("../../development/process/daemon-lock.ts");
  const { openEmbeddedPostgres } = await import("../../development/postgres/embedded-postgres.ts");
  const { roomOfCluster } = await import("../../development/postgres/postgres-cluster.ts");
  const { developmentEncryptionKey } = await import("../../development/encryption-key.ts");
  const { dataDir } = config;
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    if (needs === "daemon") {
      const lock = lockDataDirectory(dataDir);
      closers.push(lock.release);
    }
    const postgres = await openEmbeddedPostgres({ dataDir, settings: {}, log });
    closers.push(postgres.close);
    const local = await openChain(config, log, { needs, closers });
    const chains = local === null ? config.chains : [local.chain, ...config.chains];
    const bytes = () => Buffer.from(developmentEncryptionKey(dataDir), "base64");
    const encryptionKeys = config.encryptionKeys ?? ([{ id: "key", bytes: bytes() }] as const);
    return {
      config: { ...config, databaseUrl: postgres.databaseUrl, encryptionKeys, chains },
      local: local === null ? null : { name: local.chain.name, mineWhile: local.mineWhile },
      readDatabaseRoom: () => roomOfCluster(dataDir),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function completed(config: Config): CompleteConfig {
  const { databaseUrl, encryptionKeys } = config;
  if (databaseUrl === null || encryptionKeys === null) {
    throw new Fault("invariant_broken", "A production configuration is complete or refused.");
  }
  return { ...config, databaseUrl, encryptionKeys };
}

/** Null if the file names such a chain: then it is the user's own. */
async function openChain(
  config: Config,
  log: Logger,
  options: { needs: "daemon" | "database"; closers: (() => Promise<void> | void)[] },
): Promise<{ chain: ChainConfig; mineWhile: LocalChain["mineWhile"] } | null> {
  const { LOCAL_CHAIN_ID, findLocalChain, openLocalChain } = await import(
    "../../development/chain/local-chain.ts"
  );
  const { DEMO_TOKEN, deployDemoToken, demoTokenAddress } = await import(
    "../../development/chain/demo-token.ts"
  );
  const isTaken = config.chains.some(
    ({ name, chainId }) => name === localName || chainId === LOCAL_CHAIN_ID,
  );
  if (isTaken) return null;
  let rpcUrls: string[] = [];
  let mineWhile: LocalChain["mineWhile"] = () => {};
  if (options.needs === "daemon") {
    const chain = await openLocalChain({ dataDir: config.dataDir, stateful: true, settling, log });
    options.closers.push(chain.close);
    await deployDemoToken({ rpcUrl: chain.rpcUrl });
    rpcUrls = [chain.rpcUrl];
    mineWhile = chain.mineWhile;
  } else {
    const running = await findLocalChain(config.dataDir);
    if (running !== null) rpcUrls = [running];
  }
  const { symbol, decimals } = DEMO_TOKEN;
  const profile = profileOf(LOCAL_CHAIN_ID);
  const fixed = (usd: string) => ({ kind: "fixed" as const, usd });
  const chain: ChainConfig = {
    name: localName,
    chainId: LOCAL_CHAIN_ID,
    rpcUrls,
    providers: noProviders,
    confirmations: { kind: "depth", depth: localConfirmations },
    witness: usualWitness,
    tracing: "auto",
    reading: "full",
    proof: expectedProof(profile, null),
    unreadable: nothingUnread,
    profile,
    nativeAliases: [],
    startBlock: null,
    genesis: null,
    pollMs: localPollMs,
    reconcileMs: localReconcileMs,
    balanceCheck: true,
    sequencerFeed: null,
    nativeAsset: {
      code: "ETH",
      address: nativeAddress,
      decimals: 18,
      kind: "exact",
      price: fixed("2000"),
    },
    assets: [
      {
        code: symbol,
        address: parseAddress(demoTokenAddress()),
        decimals,
        kind: "exact",
        price: fixed("1"),
      },
    ],
  };
  return { chain, mineWhile };
}
