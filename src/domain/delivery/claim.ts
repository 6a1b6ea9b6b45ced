import type { SealedOutbound } from "../webhook/outbound.ts";

/** A claim's lease, in ms (docs/invariants.md#i7): four times the longest time of one delivery. */
export const claimLeaseMs = 60_000;

/**
 * The longest time of one send, in ms: DNS, connect, TLS, headers and body together
 * (docs/contract.md#delivery-and-retries). A send begins only while its lease lasts for longer.
 */
export const longestSendMs = 15_000;

/**
 * Some due deliveries of one business under one lease token, for one or more of its webhooks. A
 * claim becomes one job of the queue. It never contains a body, a URL or a secret.
 */
export type Claim = { token: string; deliveries: number };

/**
 * A claim of the relay. `begun`: the deliveries that began with the claim, to be sent now. Null:
 * the claim begins when a dispatcher takes its job from the queue.
 */
export type MadeClaim = Claim & { begun: ClaimedDelivery[] | null };

/** Slots that are reserved for deliveries that begin with their claim. */
export type Reserved<Delivery> = {
  places: number;
  /**
   * Sends the deliveries that began, claim by claim, and frees the other slots. Must be called
   * once, also with an empty list.
   */
  send: (claims: Delivery[][]) => void;
};

/**
 * The deliveries of claims whose lease has expired. `freed` ones are due at once. `postponed` ones
 * were sent too often without a record, and wait by the schedule.
 */
export type Swept = { freed: number; postponed: number };

/** The data to send one delivery of a claim, as of the beginning of the claim. */
export type ClaimedDelivery = SealedOutbound & {
  token: string;
  webhookId: string;
  deliveryId: string;
  /** Null: the notification is about no transaction. */
  transactionId: string | null;
  notificationId: string;
  /** The chain's notification that was written for this webhook before it; null: there was none. */
  previousId: string | null;
  businessId: string;
  url: string;
  /** The version of the webhook. It rises with each change that affects its requests. */
  webhookVersion: number;
  /**
   * The ledger compares this and `url` with the webhook when it records an outcome. If the webhook
   * was changed in the meantime, the outcome does not affect it.
   */
  secretCiphertext: string;
  /** The secret that signs now. After the end of an overlap it differs from `secretCiphertext`. */
  signingCiphertext: string;
  /** The second secret that signs while a rotation overlaps; null: there is none. */
  nextCiphertext: string | null;
  body: string;
  /** The attempt's place in the schedule, from 1. */
  attempt: number;
  /** The attempt's number in the log, from 1. It goes on even if the schedule begins anew. */
  number: number;
  maxAttempts: number | null;
  /** When this attempt became due, and when it was claimed, by the database's clock. */
  dueAt: Date;
  claimedAt: Date;
  /** The rest of the lease when the ledger began the delivery, in ms. */
  leaseLeftMs: number;
};
