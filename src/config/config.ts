import type { AlertSettings } from "../domain/alerts/alert-settings.ts";
import type { RateLimit } from "../domain/business/rate-limit.ts";
import type { Address } from "../domain/chain/address.ts";
import type { ChainRules } from "../domain/chain/chain-rules.ts";
import type { ConfirmationPolicy, WitnessPolicy } from "../domain/chain/confirmation.ts";
import type { Providers } from "../domain/chain/endpoint-host.ts";
import type { KnownGenesis } from "../domain/chain/profiles/known-genesis.ts";
import type { OperatorSignIn } from "../domain/console/operator-sign-in.ts";
import type { AssetSpec } from "../domain/money/asset.ts";
import type { PriceConfig } from "../domain/price/priced-asset.ts";
import type { ProcessSettings } from "./environment.ts";
import type { PricesConfig } from "./price-config.ts";

/** An asset to watch, and where its price comes from. `price` null: it has no price. */
type ConfiguredAsset = AssetSpec & { price: PriceConfig | null };

export type ChainConfig = ChainRules & {
  name: string;
  rpcUrls: readonly string[];
  providers: Providers;
  confirmations: ConfirmationPolicy;
  witness: WitnessPolicy;
  /** Null: the first head seen. */
  startBlock: bigint | null;
  /** The first block that the chain must have. Null: not configured. */
  genesis: KnownGenesis | null;
  /** The pause between two requests for the head, for an endpoint that announces none, in ms. */
  pollMs: number;
  /** The pause between two comparisons of ledger and chain, in ms. */
  reconcileMs: number;
  /** The feed that reports whether an L2's sequencer is up. Null: there is none. */
  sequencerFeed: Address | null;
  /** Null: the chain has no coin, so none is watched. */
  nativeAsset: ConfiguredAsset | null;
  /** The tokens, without the chain's own coin and its aliases. */
  assets: readonly ConfiguredAsset[];
};

/**
 * An exception to the rule that a webhook must be a public https address. It opens the usual ports.
 */
type AllowedTarget = {
  cidr: string;
  ports: number[];
  http: boolean;
  /** The ids of the businesses that may use it. Null: all may. */
  businesses: string[] | null;
};

/** Where a webhook may point, in addition to public https addresses on port 443. */
type TargetRules = {
  /** More ports for public addresses. */
  ports: number[];
  /** CIDR blocks that are always refused, even if an exception allows them. */
  deny: string[];
  allow: AllowedTarget[];
  /** Development mode: loopback addresses are allowed, with http and on any port. */
  isLoopbackOpen: boolean;
};

export type WebhooksConfig = {
  /** The wait before each attempt, counted from the attempt before, in ms. */
  scheduleMs: number[];
  targets: TargetRules;
  /** The URL of a proxy for requests to webhooks, or null. */
  proxyUrl: string | null;
  /** CIDR blocks that notifications come from, as businesses see them. */
  origins: string[];
  /** The most deliveries of one business that are under way at once. */
  inFlight: number;
  /** The most sends of one dispatcher that are under way at once. */
  concurrency: number;
};

export type Config = ProcessSettings & {
  mode: "development" | "production";
  queue: "redis" | "postgres";
  /** Empty only in development mode: then there is only the local chain. */
  chains: readonly ChainConfig[];
  webhooks: WebhooksConfig;
  prices: PricesConfig;
  rateLimit: RateLimit;
  /** The most webhooks of a business. */
  mostWebhooks: number;
  /**
   * Ages in ms. Older notifications and attempts are deleted, unless they still have something to
   * deliver. Null: never.
   */
  retention: { notificationsMs: number | null; attemptsMs: number | null };
  /** CIDR blocks of reverse proxies whose x-forwarded-for is trusted. */
  trustedProxies: readonly string[];
  /** The origins whose pages may read answers of the API. */
  allowedOrigins: readonly string[];
  /** True if the api role serves the console. */
  hasConsole: boolean;
  /** Null: operators sign in only with admin tokens. */
  operatorSignIn: OperatorSignIn | null;
  /** Null: the operator gets no alerts. */
  alerts: AlertSettings | null;
  accessTokenLifetimeMs: number;
};
