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
import {
  defaultPollMs,
  defaultReconcileMs,
  type FileChain,
  type FileConfig,
  type FileWebhooks,
  fileSchema,
} from "./file-schema.ts";
import { missingFaults } from "./missing.ts";
import { type PricesConfig, toPrice, toPrices, unknownFeedChains } from "./price-config.ts";

/** An asset that is watched, and where its price comes from; null: it has none. */
type ConfiguredAsset = AssetSpec & { price: PriceConfig | null };

export type ChainConfig = {
  name: string;
  chainId: number;
  rpcUrls: readonly string[];
  confirmations: ConfirmationPolicy;
  /** How internal transfers are read. */
  tracing: TracingChoice;
  /** What is asked of each block before it is believed. */
  proof: BlockProof;
  /** What is known of the chain. */
  profile: ChainProfile;
  /** Null: the first head seen. */
  startBlock: bigint | null;
  /** How often an endpoint that announces nothing is asked for its head. */
  pollMs: number;
  /** From the end of one comparison of ledger and chain to the next. */
  reconcileMs: number;
  /** Whether the coin's movements of a block must add up to the balances' change before they are confirmed. */
  balanceCheck: boolean;
  /** Says whether an L2's sequencer is up; null: nothing says so. */
  sequencerFeed: Address | null;
  nativeAsset: ConfiguredAsset;
  /** The tokens; without the chain's own coin, and without those that are only another view of it. */
  assets: readonly ConfiguredAsset[];
  /** Contracts that show the chain's own coin as a token. */
  nativeAliases: readonly NativeAlias[];
};

/** An exception from the rule that a webhook is a public https address. No ports: those that are open anyway. */
type AllowedTarget = { cidr: string; ports: number[]; http: boolean };

/** Where a webhook may be beside public addresses by https on port 443. */
type TargetRules = {
  /** Further ports for public addresses. */
  ports: number[];
  allow: AllowedTarget[];
  /** Development mode: loopback, with http and any port. */
  isLoopbackOpen: boolean;
};

type WebhooksConfig = {
  /** How long after the one before each attempt is due. */
  scheduleMs: number[];
  targets: TargetRules;
  /** Deliveries of one business under way at once. */
  inFlight: number;
  /** Sends of one dispatcher under way at once. */
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
  /** ms that told notifications are kept; null: for ever. */
  retention: { notificationsMs: number | null };
  accessTokenLifetimeMs: number;
  /** Database connections at most: of the daemon's own work, and of the API's reads. */
  pools: { ledger: number; reads: number };
};

/** docs/contract.md#authentication. */
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

/** What the file says, raw (null where it cannot be read) and as a configuration (null where it has faults). */
type FileReading = { raw: unknown; config: FileConfig | null };

/** Where no file is named and none is there, it says nothing. Its faults are added to the list. */
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
  // A value the environment did not fill in is already told, and is not told again as missing.
  const told = new Set(file.faults.map((fault) => fault.path));
  const found = parsed.success ? [] : faultsOfIssues(parsed.error.issues);
  faults.push(...found.filter((fault) => !told.has(fault.path)), ...duplicateFaults(file.values));
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
      // A chain that is not known is refused without it (see missingFaults).
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

/** A contract that only the operator calls the chain's own coin: what it logs is what traces tell. */
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
