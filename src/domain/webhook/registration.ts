import type { ShownCertificate } from "./client-certificate.ts";
import type { WebhookFilter } from "./filter.ts";

/** Names a webhook and its business. `businessId` null, for operators: any current webhook. */
export type WebhookName = { businessId: string | null; webhookId: string };

/** A business may end at most `count` webhooks within this time, by replacing or deleting them. */
export const replacementLimit = { count: 10, withinMs: 60 * 60 * 1000 } as const;

/**
 * `open`: the webhook failed many times in a row. One attempt is made now and then, until one
 * succeeds.
 */
export type CircuitState = "closed" | "open";

/**
 * The most webhooks of a business, the first one included, if the configuration names no other
 * number.
 */
export const mostWebhooks = 16;

/** The most attempts a second that a business may ask for. */
export const fastestRate = 1_000;

/**
 * The order of a webhook. A field that is left out stays. A first webhook that replaces another
 * inherits its order.
 */
export type OrderAsked = {
  /** True: one notification of each wallet at a time, in the order of the ledger. */
  isOrdered?: boolean;
  /** True: a given-up notification holds its wallet's line until somebody decides. */
  holdsExhausted?: boolean;
};

/** The settings of a webhook that a business may change. A setting that is left out stays. */
export type WebhookChange = OrderAsked & {
  url?: string;
  isActive?: boolean;
  /** The purpose, in the business's words. Null: none. */
  description?: string | null;
  /** Null: no limit. */
  rate?: number | null;
  /** Applies from the next commit on. Null: every notification. */
  filter?: WebhookFilter | null;
  /** Null: none. */
  headers?: { ciphertext: string; names: string[] } | null;
  clientCertificate?: ({ ciphertext: string } & ShownCertificate) | null;
  /**
   * The key pair that signs in addition to the secret. An existing pair stays. Null: no pair signs.
   */
  ed25519?: SealedPair | null;
};

/** An ed25519 key pair. The private key is encrypted. */
export type SealedPair = { ciphertext: string; publicKey: string };

/** The reason why a webhook is not active. */
export const inactiveReasons = {
  gone: { description: "its receiver answered 410" },
  failing: { description: "every attempt has failed for five days" },
  requested: { description: "somebody paused it" },
} as const;

export type InactiveReason = keyof typeof inactiveReasons;

/** A webhook and the state of its deliveries. Never the secret. */
export type WebhookRegistration = {
  id: string;
  url: string;
  /** The purpose, in the business's words; null: none. */
  description: string | null;
  /** True if it is not the business's first webhook. */
  isAdditional: boolean;
  isActive: boolean;
  isOrdered: boolean;
  holdsExhausted: boolean;
  createdAt: Date;
  lastSuccessAt: Date | null;
  consecutiveFailures: number;
  disabledAt: Date | null;
  disabledReason: InactiveReason | null;
  /** The most attempts a second, on average; null: no limit. */
  rate: number | null;
  /** Selects its notifications; null: all. */
  filter: WebhookFilter | null;
  /**
   * Since when its circuit is open, and when the next attempt follows; null: the circuit is closed.
   */
  circuitOpenedAt: Date | null;
  circuitRetryAt: Date | null;
  /** The parts that are added to its requests. The headers' values are left out. */
  headerNames: string[];
  certificateFingerprint: string | null;
  certificateExpiresAt: Date | null;
  ed25519PublicKey: string | null;
  /** The next public key, while a rotation overlaps and after that until the next change. */
  nextEd25519PublicKey: string | null;
  /**
   * The end of a rotation's overlap. Until then both secrets and both key pairs sign. Null: no
   * rotation overlaps.
   */
  overlapEndsAt: Date | null;
};

/** The wallets that wait at a webhook with an order. */
export type Lines = {
  /** The number of wallets with a notification that is not delivered. */
  waiting: number;
  /** The number of them that a given-up notification holds. */
  held: number;
  /** Since when the oldest notification has waited. */
  oldestWaitingAt: Date | null;
};

/** A webhook with the lines of its wallets; null: it has no order. */
export type WebhookInOrder = WebhookRegistration & { lines: Lines | null };

/**
 * A webhook to register. The secret is encrypted. Without a filter a new webhook wants every
 * notification. A registered one keeps its filter and description if none is given.
 */
export type NewWebhook = OrderAsked & {
  businessId: string;
  url: string;
  secretCiphertext: string;
  /** The most webhooks of the business; left out: `mostWebhooks`. */
  most?: number;
} & Pick<WebhookChange, "filter" | "description">;

/**
 * `created`: the webhook has the given secret. `unchanged`: the URL was registered before, and
 * keeps its secret.
 */
export type Registered = { outcome: "created" | "unchanged"; webhook: WebhookRegistration };

/** Until when both secrets sign; null: only one signs. */
export type Rotation = Pick<WebhookRegistration, "overlapEndsAt">;

/** Replaces a secret. The key pair is used only if the webhook has one. */
export type NewSecret = { secretCiphertext: string; ed25519: SealedPair; overlapMs: number };

/** A rotation, with the new pair's public key; null: the webhook has no pair. */
export type Rotated = Rotation & { publicKey: string | null };
