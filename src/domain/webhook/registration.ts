import type { ShownCertificate } from "./client-certificate.ts";

/** A business's own webhook, or with a null business any current one: the operator's. */
export type WebhookName = { businessId: string | null; webhookId: string };

/** Webhooks that a business may end, by registering another or by deleting, within that time. */
export const replacementLimit = { count: 10, withinMs: 60 * 60 * 1000 } as const;

/** `open`: it failed many times in a row, so one attempt is made now and then until one succeeds. */
export type CircuitState = "closed" | "open";

/** Attempts a second that a business may ask for at most. */
export const fastestRate = 1_000;

/** What a business may change of its webhook; what is left out stays. */
export type WebhookChange = {
  url?: string;
  isActive?: boolean;
  /** Null: no limit. */
  rate?: number | null;
  /** Null: none. */
  headers?: { ciphertext: string; names: string[] } | null;
  clientCertificate?: ({ ciphertext: string } & ShownCertificate) | null;
  /** The pair that signs beside the secret; one that is there already stays. Null: none. */
  ed25519?: SealedPair | null;
};

/** A pair of ed25519 keys, the private one encrypted. */
export type SealedPair = { ciphertext: string; publicKey: string };

/** Where a business is notified, and how that goes. Never the secret. */
export type WebhookRegistration = {
  id: string;
  url: string;
  isActive: boolean;
  createdAt: Date;
  lastSuccessAt: Date | null;
  consecutiveFailures: number;
  disabledAt: Date | null;
  disabledReason: string | null;
  /** Attempts a second at most, on average; null: not limited. */
  rate: number | null;
  /** Since when its circuit is open, and when the next attempt is made; null: it is closed. */
  circuitOpenedAt: Date | null;
  circuitRetryAt: Date | null;
  /** What is added to its requests, never with its values. */
  headerNames: string[];
  certificateFingerprint: string | null;
  certificateExpiresAt: Date | null;
  ed25519PublicKey: string | null;
  /** While a rotation overlaps, and after it until the next change. */
  nextEd25519PublicKey: string | null;
  /** While a rotation overlaps: until when both secrets, and both pairs, sign. */
  overlapEndsAt: Date | null;
};

/** A webhook to be registered. The secret is encrypted. */
export type NewWebhook = { businessId: string; url: string; secretCiphertext: string };

/** `created`: with the secret that was given. `unchanged`: the URL was registered already, with another secret. */
export type Registered = { outcome: "created" | "unchanged"; webhook: WebhookRegistration };

/** Until when both secrets sign; null: only one does. */
export type Rotation = Pick<WebhookRegistration, "overlapEndsAt">;

/** What a secret is replaced with; the pair only where the webhook has one. */
export type NewSecret = { secretCiphertext: string; ed25519: SealedPair; overlapMs: number };

/** With the new pair's public key; null: the webhook has no pair. */
export type Rotated = Rotation & { publicKey: string | null };
