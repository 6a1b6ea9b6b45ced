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

/** An asset that is watched, and where its price comes from; null: it has no price. */
type ConfiguredAsset = AssetSpec & { price: PriceConfig | null };

export type ChainConfig = ChainRules & {
  name: string;
  rpcUrls: readonly string[];
  providers: Providers;
  confirmations: ConfirmationPolicy;
  witness: WitnessPolicy;
  /** Null: the first head seen. */
  startBlock: bigint | null;
  /** Null: nobody says which first block the chain has. */
  genesis: KnownGenesis | null;
  /** The pause between two questions for the head, for an endpoint that announces none, in ms. */
  pollMs: number;
  /** The pause between two comparisons of ledger and chain. */
  reconcileMs: number;
  /** The feed that reports whether an L2's sequencer is up; null: there is none. */
  sequencerFeed: Address | null;
  /** Null: the chain has no coin, and none is looked for. */
  nativeAsset: ConfiguredAsset | null;
  /** The tokens, without the chain's own coin and its aliases. */
  assets: readonly ConfiguredAsset[];
};

/**
 * An exception to the rule that a webhook must be a public https address. No ports: the usual ones.
 */
type AllowedTarget = {
  cidr: string;
  ports: number[];
  http: boolean;
  /** Ids of the businesses it is for; null: for all. */
  businesses: string[] | null;
};

/** Where a webhook may point, beside public https addresses on port 443. */
type TargetRules = {
  /** Further ports for public addresses. */
  ports: number[];
  /** CIDR blocks that are refused before any exception is looked at. */
  deny: string[];
  allow: AllowedTarget[];
  /** Development mode: loopback, with http and any port. */
  isLoopbackOpen: boolean;
};

export type WebhooksConfig = {
  /** The wait before each attempt, counted from the one before. */
  scheduleMs: number[];
  targets: TargetRules;
  /** The URL of a proxy that webhooks are notified through, or null. */
  proxyUrl: string | null;
  /** CIDR blocks that notifications come from, as businesses are shown them. */
  origins: string[];
  /** Deliveries of one business in flight at once. */
  inFlight: number;
  /** Sends of one dispatcher in flight at once. */
  concurrency: number;
};

export type Config = ProcessSettings & {
  mode: "development" | "production";
  queue: "redis" | "postgres";
  /** Empty only in development: the local chain. */
  chains: readonly ChainConfig[];
  webhooks: WebhooksConfig;
  prices: PricesConfig;
  rateLimit: RateLimit;
  /** The webhooks that a business may have at once. */
  mostWebhooks: number;
  /**
   * In ms, null: for ever. Notifications and attempts that are older are deleted, once nothing of
   * them is to be delivered.
   */
  retention: { notificationsMs: number | null; attemptsMs: number | null };
  /** CIDR blocks of reverse proxies whose x-forwarded-for counts. */
  trustedProxies: readonly string[];
  /** Of pages in a browser that may read answers of the API. */
  allowedOrigins: readonly string[];
  /** True if the api role serves the console. */
  hasConsole: boolean;
  /** Null: operators come in with admin tokens alone. */
  operatorSignIn: OperatorSignIn | null;
  /** Null: the operator is not alerted. */
  alerts: AlertSettings | null;
  accessTokenLifetimeMs: number;
};
