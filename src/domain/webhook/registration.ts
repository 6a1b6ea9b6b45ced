import type { ShownCertificate } from "./client-certificate.ts";
import type { WebhookFilter } from "./filter.ts";

/** Names a webhook and its business. An operator leaves `businessId` null for any current one. */
export type WebhookName = { businessId: string | null; webhookId: string };

/**
 * The webhooks that a business may end within that time, by registering another one or by deleting.
 */
export const replacementLimit = { count: 10, withinMs: 60 * 60 * 1000 } as const;

/**
 * `open`: the webhook failed many times in a row, so one attempt is made now and then until one
 * succeeds.
 */
export type CircuitState = "closed" | "open";

/**
 * The webhooks that a business may have at once, the first one included, where the configuration
 * says nothing else.
 */
export const mostWebhooks = 16;

/** The most attempts a second that a business may ask for. */
export const fastestRate = 1_000;

/**
 * The order that a webhook asks for. A field that is left out stays as it is. A first webhook has
 * it from the one in whose place it comes.
 */
export type OrderAsked = {
  /** Of each wallet one notification at a time, in the order of the ledger. */
  isOrdered?: boolean;
  /** A notification that is given up holds its wallet until somebody decides. */
  holdsExhausted?: boolean;
};

/** The settings of its webhook that a business may change. A setting that is left out stays. */
export type WebhookChange = OrderAsked & {
  url?: string;
  isActive?: boolean;
  /** The purpose, in the words of the business. Null: none. */
  description?: string | null;
  /** Null: no limit. */
  rate?: number | null;
  /** From the next commit on. Null: everything. */
  filter?: WebhookFilter | null;
  /** Null: none. */
  headers?: { ciphertext: string; names: string[] } | null;
  clientCertificate?: ({ ciphertext: string } & ShownCertificate) | null;
  /**
   * The pair that signs beside the secret. A pair that is there already stays. Null: no pair signs.
   */
  ed25519?: SealedPair | null;
};

/** A pair of ed25519 keys. The private key is encrypted. */
export type SealedPair = { ciphertext: string; publicKey: string };

/** The reasons for which a webhook is not active. */
export const inactiveReasons = {
  gone: { description: "its receiver answered 410" },
  failing: { description: "every attempt has failed for five days" },
  requested: { description: "somebody paused it" },
} as const;

export type InactiveReason = keyof typeof inactiveReasons;

/** A webhook of a business, and the state of its deliveries. Never the secret. */
export type WebhookRegistration = {
  id: string;
  url: string;
  /** The purpose, in the words of the business; null: it said none. */
  description: string | null;
  /** It stands beside the first one. */
  isAdditional: boolean;
  isActive: boolean;
  isOrdered: boolean;
  holdsExhausted: boolean;
  createdAt: Date;
  lastSuccessAt: Date | null;
  consecutiveFailures: number;
  disabledAt: Date | null;
  disabledReason: InactiveReason | null;
  /** Attempts a second at most, on average; null: not limited. */
  rate: number | null;
  /** The notifications that it wants; null: all. */
  filter: WebhookFilter | null;
  /**
   * The time since which its circuit is open, and the time of the next attempt; null: the circuit
   * is closed.
   */
  circuitOpenedAt: Date | null;
  circuitRetryAt: Date | null;
  /** The headers and certificates that are added to its requests, without the headers' values. */
  headerNames: string[];
  certificateFingerprint: string | null;
  certificateExpiresAt: Date | null;
  ed25519PublicKey: string | null;
  /** The public key that follows, while a rotation overlaps and after it until the next change. */
  nextEd25519PublicKey: string | null;
  /**
   * The end of the overlap of a rotation: until then, both secrets and both pairs sign. Null: no
   * rotation overlaps.
   */
  overlapEndsAt: Date | null;
};

/** The wallets to which a webhook with an order has something to deliver. */
export type Lines = {
  /** Wallets with a notification that has not ended. */
  waiting: number;
  /** Those of them that a given-up notification holds. */
  held: number;
  /** Since when the oldest notification waits. */
  oldestWaitingAt: Date | null;
};

/** A webhook, with the lines of its wallets; null: it has no order. */
export type WebhookInOrder = WebhookRegistration & { lines: Lines | null };

/**
 * A webhook to be registered. The secret is encrypted. Without a filter it wants everything; a
 * registered one keeps its filter and its description.
 */
export type NewWebhook = OrderAsked & {
  businessId: string;
  url: string;
  secretCiphertext: string;
  /** The most that the business may have in all; left out: `mostWebhooks`. */
  most?: number;
} & Pick<WebhookChange, "filter" | "description">;

/**
 * `created`: the webhook has the secret that was given. `unchanged`: the URL was registered
 * already, with another secret.
 */
export type Registered = { outcome: "created" | "unchanged"; webhook: WebhookRegistration };

/** The time until which both secrets sign; null: only one does. */
export type Rotation = Pick<WebhookRegistration, "overlapEndsAt">;

/** The replacement of a secret. The pair is used only if the webhook has one. */
export type NewSecret = { secretCiphertext: string; ed25519: SealedPair; overlapMs: number };

/** A rotation, with the new pair's public key; null: the webhook has no pair. */
export type Rotated = Rotation & { publicKey: string | null };
