import { usualPolicy } from "../domain/alerts/decide.ts";
import { defaultRateLimit } from "../domain/business/rate-limit.ts";
import { nothingUnread, type UnreadablePolicy } from "../domain/chain/block-proof.ts";
import { usualWitness } from "../domain/chain/confirmation.ts";
import type { Providers } from "../domain/chain/endpoint-host.ts";
import { expectedProof } from "../domain/chain/expected-proof.ts";
import type { ChainProfile, NativeAlias } from "../domain/chain/profile.ts";
import { knownGenesis } from "../domain/chain/profiles/known-genesis.ts";
import { profileOf } from "../domain/chain/profiles/known-profiles.ts";
import { developmentSchedule, standardSchedule } from "../domain/delivery/retry-schedule.ts";
import { defaultAssetKind, isNativeAlias } from "../domain/money/asset.ts";
import { nativeAddress } from "../domain/money/movement.ts";
import { mostWebhooks } from "../domain/webhook/registration.ts";
import type { ChainConfig, Config, WebhooksConfig } from "./config.ts";
import type { EnvironmentValues } from "./environment.ts";
import { toPrice, toPrices } from "./price-config.ts";
import { defaultPollMs, defaultReconcileMs } from "./schema/chain-schema.ts";
import type { FileChain, FileConfig, FileWebhooks } from "./schema/file-schema.ts";

/** See docs/contract.md#authentication. */
const defaultAccessTokenLifetimeMs = 15 * 60_000;

/** The most deliveries of one business that are under way at once. */
const defaultInFlight = 10;

/** Enough for 2,000 notifications a second to receivers that take 100 ms. */
const defaultConcurrency = 200;

/**
 * Makes the Config of file and environment, with defaults for the settings that they leave out.
 * Both must have no faults.
 */
export function toConfig(values: EnvironmentValues, file: FileConfig): Config {
  const { isProduction, ...fromEnvironment } = values;
  const mode = isProduction ? "production" : "development";
  return {
    mode,
    ...fromEnvironment,
    queue: file.queue ?? (values.redis === null ? "postgres" : "redis"),
    chains: (file.chains ?? []).map(toChain),
    webhooks: toWebhooks(mode, file.webhooks ?? {}),
    prices: toPrices(file.prices ?? {}),
    rateLimit: {
      perSecond: file.rate_limit?.per_second ?? defaultRateLimit.perSecond,
      burst: file.rate_limit?.burst ?? defaultRateLimit.burst,
    },
    mostWebhooks: file.limits?.webhooks ?? mostWebhooks,
    retention: {
      notificationsMs: file.retention?.notifications ?? null,
      attemptsMs: file.retention?.attempts ?? null,
    },
    trustedProxies: file.trusted_proxies ?? [],
    allowedOrigins: file.allowed_origins ?? [],
    hasConsole: file.console ?? true,
    operatorSignIn: toOperatorSignIn(file.operator_sign_in),
    alerts: toAlerts(file.alerts),
    accessTokenLifetimeMs: file.access_token_lifetime ?? defaultAccessTokenLifetimeMs,
  };
}

function toOperatorSignIn(file: FileConfig["operator_sign_in"]): Config["operatorSignIn"] {
  if (file === undefined) return null;
  return {
    issuer: file.issuer,
    clientId: file.client_id,
    clientSecret: file.client_secret ?? null,
    consoleOrigin: file.console_origin,
    scopes: file.scopes ?? ["email"],
    claim: file.claim ?? "groups",
    operators: file.operators ?? [],
    viewers: file.viewers ?? [],
    acrValues: file.acr_values ?? [],
    maxAgeS: file.max_age === undefined ? null : Math.floor(file.max_age / 1_000),
  };
}

function toAlerts(file: FileConfig["alerts"]): Config["alerts"] {
  if (file === undefined) return null;
  const { webhook, slack, smtp } = file;
  return {
    webhook: webhook === undefined ? null : { url: webhook.url, secret: webhook.secret ?? null },
    slack: slack ?? null,
    smtp: smtp ?? null,
    policy: {
      forMs: file.for ?? usualPolicy.forMs,
      repeatMs: file.repeat ?? usualPolicy.repeatMs,
      resolveAfterMs: file.resolve_after ?? usualPolicy.resolveAfterMs,
      ignored: file.ignore ?? usualPolicy.ignored,
    },
  };
}

function toWebhooks(mode: Config["mode"], file: FileWebhooks): WebhooksConfig {
  const isDevelopment = mode === "development";
  const allow = (file.allow ?? []).map(({ cidr, ports, http, businesses }) => ({
    cidr,
    ports: ports ?? [],
    http: http ?? false,
    businesses: businesses ?? null,
  }));
  return {
    scheduleMs: file.schedule ?? [...(isDevelopment ? developmentSchedule : standardSchedule)],
    targets: {
      ports: file.ports ?? [],
      deny: file.deny ?? [],
      allow,
      isLoopbackOpen: isDevelopment,
    },
    proxyUrl: file.proxy ?? null,
    origins: file.origins ?? [],
    inFlight: file.in_flight ?? defaultInFlight,
    concurrency: file.concurrency ?? defaultConcurrency,
  };
}

function toChain(chain: FileChain): ChainConfig {
  const profile = profileOf(chain.chain_id);
  const assets = chain.assets ?? [];
  return {
    name: chain.name,
    chainId: chain.chain_id,
    rpcUrls: chain.rpc.map((one) => (typeof one === "string" ? one : one.url)),
    providers: providersOf(chain),
    confirmations: chain.confirmations ?? profile.confirmations,
    witness: {
      patienceMs: chain.witness?.patience ?? usualWitness.patienceMs,
      mode: chain.witness?.mode ?? usualWitness.mode,
      count: chain.witness?.count ?? usualWitness.count,
    },
    tracing: chain.tracing ?? "auto",
    reading: chain.reading ?? "full",
    proof: expectedProof(profile, chain.receipts ?? null),
    unreadable: toUnreadable(chain.proof ?? {}),
    profile,
    startBlock: chain.start_block === undefined ? null : BigInt(chain.start_block),
    genesis:
      chain.genesis_hash === undefined
        ? knownGenesis(chain.chain_id)
        : { hash: chain.genesis_hash, source: "the configuration" },
    pollMs: chain.poll_interval ?? defaultPollMs,
    reconcileMs: chain.reconcile_interval ?? defaultReconcileMs,
    balanceCheck: chain.balance_check ?? true,
    sequencerFeed: chain.sequencer_feed ?? null,
    nativeAsset: toNativeAsset(chain, profile),
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

function providersOf({ rpc }: FileChain): Providers {
  return new Map(
    rpc.flatMap((one): [string, string][] =>
      typeof one === "string" || one.provider === undefined ? [] : [[one.url, one.provider]],
    ),
  );
}

function toUnreadable(asked: {
  header?: UnreadablePolicy["header"] | undefined;
  contents?: UnreadablePolicy["contents"] | undefined;
}): UnreadablePolicy {
  const { header, contents } = asked;
  return {
    header: header ?? nothingUnread.header,
    contents: contents ?? nothingUnread.contents,
  };
}

function toNativeAsset(chain: FileChain, { coin }: ChainProfile): ChainConfig["nativeAsset"] {
  const native = chain.native_asset;
  if (native === "none" || (native === undefined && coin === null)) return null;
  return {
    // missingFaults refuses an unknown chain without it.
    code: native?.code ?? coin?.code ?? "",
    address: nativeAddress,
    decimals: 18,
    kind: defaultAssetKind,
    price: toPrice(chain.name, native?.price),
  };
}

/**
 * Contracts that only the operator's configuration calls the chain's coin. Their logs repeat what
 * traces show.
 */
function furtherAliases(chain: FileChain, profile: ChainProfile): NativeAlias[] {
  const known = new Set(profile.nativeAliases.map((alias) => alias.address));
  return (chain.assets ?? [])
    .filter(({ kind, address }) => isNativeAlias(kind ?? defaultAssetKind) && !known.has(address))
    .map(({ address, decimals }) => ({ address, logs: "repeats", decimals }));
}
