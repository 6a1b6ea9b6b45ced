import { resolve } from "node:path";
import { defaultRateLimit, type RateLimit } from "../domain/business/rate-limit.ts";
import type { Address } from "../domain/chain/address.ts";
import type { BlockProof, TracingChoice } from "../domain/chain/block-proof.ts";
import type { ConfirmationPolicy } from "../domain/chain/confirmation.ts";
import { expectedProof } from "../domain/chain/expected-proof.ts";
import type { ChainProfile, NativeAlias } from "../domain/chain/profile.ts";
import { profileOf } from "../domain/chain/profiles/known-profiles.ts";
import { developmentSchedule, standardSchedule } from "../domain/delivery/retry-schedule.ts";
import { Fault } from "../domain/fault.ts";
import { type AssetSpec, defaultAssetKind, isNativeAlias } from "../domain/money/asset.ts";
import { nativeAddress } from "../domain/money/movement.ts";
import type { PriceConfig } from "../domain/money/priced-asset.ts";
import type { LogLevel } from "../runtime/logger.ts";
import { type ConfigFault, faultsOfIssues } from "./config-fault.ts";
import { parseConfigFile, readConfigFile } from "./config-file.ts";
import { duplicateFaults } from "./duplicates.ts";
import {
  type AdminToken,
  type Environment,
  type EnvironmentValues,
  type Role,
  readEnvironment,
} from "./environment.ts";
import { missingFaults } from "./missing.ts";
import { type PricesConfig, toPrice, toPrices, unknownFeedChains } from "./price-config.ts";
import { defaultPollMs, defaultReconcileMs } from "./schema/chain-schema.ts";
import {
  type FileChain,
  type FileConfig,
  type FileWebhooks,
  fileSchema,
} from "./schema/file-schema.ts";

/** An asset that is watched, and where its price comes from; null: it has no price. */
type ConfiguredAsset = AssetSpec & { price: PriceConfig | null };

export type ChainConfig = {
  name: string;
  chainId: number;
  rpcUrls: readonly string[];
  confirmations: ConfirmationPolicy;
  /** How internal transfers are read. */
  tracing: TracingChoice;
  /** How each block is proved. */
  proof: BlockProof;
  /** What is known of the chain. */
  profile: ChainProfile;
  /** Null: the first head seen. */
  startBlock: bigint | null;
  /** How often an endpoint that announces nothing is asked for its head. */
  pollMs: number;
  /** The pause between two comparisons of ledger and chain. */
  reconcileMs: number;
  /** Whether what a block moves of the coin must match the change of the balances before it is confirmed. */
  balanceCheck: boolean;
  /** The feed that reports whether an L2's sequencer is up; null: there is none. */
  sequencerFeed: Address | null;
  nativeAsset: ConfiguredAsset;
  /** The tokens, without the chain's own coin and its aliases. */
  assets: readonly ConfiguredAsset[];
  /** Contracts that show the chain's own coin as a token. */
  nativeAliases: readonly NativeAlias[];
};

/** An exception to the rule that a webhook must be a public https address. No ports: the usual ones. */
type AllowedTarget = { cidr: string; ports: number[]; http: boolean };

/** Where a webhook may point, beside public https addresses on port 443. */
type TargetRules = {
  /** Further ports for public addresses. */
  ports: number[];
  allow: AllowedTarget[];
  /** Development mode: loopback, with http and any port. */
  isLoopbackOpen: boolean;
};

type WebhooksConfig = {
  /** The wait before each attempt, counted from the one before. */
  scheduleMs: number[];
  targets: TargetRules;
  /** Deliveries of one business in flight at once. */
  inFlight: number;
  /** Sends of one dispatcher in flight at once. */
  concurrency: number;
};

export type Config = {
  mode: "development" | "production";
  /** Null only in development: the embedded PostgreSQL. */
  databaseUrl: string | null;
  redisUrl: string | null;
  queue: "redis" | "postgres";
  host: string;
  /** 0: any free port. */
  port: number;
  logLevel: LogLevel;
  /** Null only in development: the one kept in the data directory. */
  encryptionKey: Uint8Array | null;
  /** Empty: there is no administration by HTTP. */
  adminTokens: readonly AdminToken[];
  roles: ReadonlySet<Role>;
  /** Absolute. */
  dataDir: string;
  /** Empty only in development: the local chain. */
  chains: readonly ChainConfig[];
  webhooks: WebhooksConfig;
  prices: PricesConfig;
  rateLimit: RateLimit;
  /** Notifications older than this (ms) are deleted once nothing of them is to be delivered; null: never. */
  retention: { notificationsMs: number | null };
  accessTokenLifetimeMs: number;
  /** Database connections at most: of the daemon's own work, and of the API's reads. */
  pools: { ledger: number; reads: number };
};

/** See docs/contract.md#authentication. */
const defaultAccessTokenLifetimeMs = 15 * 60_000;

/** Enough for 2,000 notifications a second to receivers that take 100 ms. */
const defaultConcurrency = 200;

/** Together a fifth of the 100 connections that PostgreSQL offers by default: several processes share it. */
const pools = { ledger: 12, reads: 8 };

/** This process's environment; the one place that looks at it. */
export function processEnvironment(): Environment {
  return process.env;
}

/**
 * One YAML file and the environment become one frozen Config (docs/contract.md#4-configuration). Relative paths, and
 * the file when none is named, are looked for in `cwd`.
 * @throws Fault `invalid_configuration` that names every fault with its path; `facts.faults` is the list
 */
export async function loadConfig(env: Environment, cwd: string): Promise<Config> {
  const faults: ConfigFault[] = [];
  const values = readEnvironment(env, cwd, faults);
  const { raw, config } = await readFileConfig(env, cwd, faults);
  faults.push(...missingFaults(env, raw, values.isProduction));
  if (faults.length > 0 || config === null) throw configurationFault(faults);
  return deepFreeze(toConfig(values, config));
}

function configurationFault(faults: ConfigFault[]): Fault {
  const lines = faults.map(
    ({ path, message }) => `  ${path === "" ? "the file" : path}: ${message}`,
  );
  const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
  return new Fault(
    "invalid_configuration",
    `The configuration has ${count}:\n${lines.join("\n")}`,
    {
      facts: { faults },
    },
  );
}

/** The file's raw values (null if it cannot be read) and its configuration (null if it has faults). */
type FileReading = { raw: unknown; config: FileConfig | null };

/** Without a file, and without one being named, the configuration is empty. Adds the file's faults to the list. */
async function readFileConfig(
  env: Environment,
  cwd: string,
  faults: ConfigFault[],
): Promise<FileReading> {
  const named = env["CHAINBELL_CONFIG"];
  const path = resolve(cwd, named || "chainbell.yaml");
  const text = await readConfigFile(path).catch((error: unknown) => {
    const message = `cannot be read: ${reasonOf(error)}`;
    faults.push({ path: named ? "CHAINBELL_CONFIG" : path, message });
  });
  if (text === undefined) return { raw: null, config: null };
  if (text === null && !named) return { raw: {}, config: {} };
  if (text === null) {
    faults.push({ path: "CHAINBELL_CONFIG", message: `there is no file ${path}` });
    return { raw: null, config: null };
  }
  const file = parseConfigFile(text, env);
  faults.push(...file.faults);
  if (file.values === null) return { raw: null, config: null };
  const parsed = fileSchema.safeParse(file.values);
  // A value that the environment did not fill in is already reported, and is not reported again as missing.
  const reported = new Set(file.faults.map((fault) => fault.path));
  const found = parsed.success ? [] : faultsOfIssues(parsed.error.issues);
  faults.push(
    ...found.filter((fault) => !reported.has(fault.path)),
    ...duplicateFaults(file.values),
  );
  if (parsed.success) faults.push(...unknownFeedChains(parsed.data));
  return { raw: file.values, config: parsed.success ? parsed.data : null };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function toConfig(values: EnvironmentValues, file: FileConfig): Config {
  const { isProduction, ...fromEnvironment } = values;
  const mode = isProduction ? "production" : "development";
  return {
    mode,
    ...fromEnvironment,
    queue: file.queue ?? (values.redisUrl === null ? "postgres" : "redis"),
    chains: (file.chains ?? []).map(toChain),
    webhooks: toWebhooks(mode, file.webhooks ?? {}),
    prices: toPrices(file.prices ?? {}),
    rateLimit: {
      perSecond: file.rate_limit?.per_second ?? defaultRateLimit.perSecond,
      burst: file.rate_limit?.burst ?? defaultRateLimit.burst,
    },
    retention: { notificationsMs: file.retention?.notifications ?? null },
    accessTokenLifetimeMs: file.access_token_lifetime ?? defaultAccessTokenLifetimeMs,
    pools,
  };
}

function toWebhooks(mode: Config["mode"], file: FileWebhooks): WebhooksConfig {
  const isDevelopment = mode === "development";
  const allow = (file.allow ?? []).map(({ cidr, ports, http }) => ({
    cidr,
    ports: ports ?? [],
    http: http ?? false,
  }));
  return {
    scheduleMs: file.schedule ?? [...(isDevelopment ? developmentSchedule : standardSchedule)],
    targets: { ports: file.ports ?? [], allow, isLoopbackOpen: isDevelopment },
    inFlight: file.in_flight ?? 10,
    concurrency: file.concurrency ?? defaultConcurrency,
  };
}

function toChain(chain: FileChain): ChainConfig {
  const profile = profileOf(chain.chain_id);
  const native = chain.native_asset;
  const assets = chain.assets ?? [];
  return {
    name: chain.name,
    chainId: chain.chain_id,
    rpcUrls: chain.rpc,
    confirmations: chain.confirmations ?? profile.confirmations,
    tracing: chain.tracing ?? "auto",
    proof: expectedProof(profile, chain.receipts ?? null),
    profile,
    startBlock: chain.start_block === undefined ? null : BigInt(chain.start_block),
    pollMs: chain.poll_interval ?? defaultPollMs,
    reconcileMs: chain.reconcile_interval ?? defaultReconcileMs,
    balanceCheck: chain.balance_check ?? true,
    sequencerFeed: chain.sequencer_feed ?? null,
    nativeAsset: {
      // An unknown chain without it is refused by missingFaults.
      code: native?.code ?? profile.coin?.code ?? "",
      address: nativeAddress,
      decimals: 18,
      kind: defaultAssetKind,
      price: toPrice(chain.name, native?.price),
    },
    assets: assets
      .filter(({ kind }) => !isNativeAlias(kind ?? defaultAssetKind))
      .map(({ code, address, decimals, kind, price }) => ({
        code,
        address,
        decimals,
        kind: kind ?? defaultAssetKind,
        price: toPrice(chain.name, price),
      })),
    nativeAliases: [...profile.nativeAliases, ...furtherAliases(chain, profile)],
  };
}

/** Contracts that only the operator declares to be the chain's coin: their logs repeat what traces show. */
function furtherAliases(chain: FileChain, profile: ChainProfile): NativeAlias[] {
  const known = new Set(profile.nativeAliases.map((alias) => alias.address));
  return (chain.assets ?? [])
    .filter(({ kind, address }) => isNativeAlias(kind ?? defaultAssetKind) && !known.has(address))
    .map(({ address, decimals }) => ({ address, logs: "repeats", decimals }));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
