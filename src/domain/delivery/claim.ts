import type { SealedOutbound } from "../webhook/outbound.ts";

/** A claim's lease, in ms (docs/invariants.md#i7): four times what one delivery may take. */
export const claimLeaseMs = 60_000;

/**
 * Some due deliveries of one webhook under one lease token. A claim becomes one job of the queue.
 * It never carries a body, a URL or a secret.
 */
export type Claim = { token: string; deliveries: number };

/**
 * A claim of the relay. `begun`: the deliveries that began with it, to be sent now. Null: the claim
 * begins when a dispatcher takes its job from the queue.
 */
export type MadeClaim = Claim & { begun: ClaimedDelivery[] | null };

/** Slots that are reserved for deliveries that begin with their claim. */
export type Reserved<Delivery> = {
  places: number;
  /**
   * Sends what began of each claim, and frees the slots that are left. Called once, with nothing
   * where nothing began.
   */
  send: (claims: Delivery[][]) => void;
};

/**
 * The deliveries of claims whose lease has run out. `freed` ones are due at once. `postponed` ones
 * were sent too often without a record and wait by the schedule.
 */
export type Swept = { freed: number; postponed: number };

/** The data that one delivery of a claim needs to be sent, as it is when the claim begins. */
export type ClaimedDelivery = SealedOutbound & {
  token: string;
  webhookId: string;
  deliveryId: string;
  /** Null: the notification is about no transaction. */
  transactionId: string | null;
  notificationId: string;
  /**
   * The notification of its chain that was written for this webhook before it; null: there was
   * none.
   */
  previousId: string | null;
  businessId: string;
  url: string;
  /** The version of the webhook: it rises with each change of what its requests are made with. */
  webhookVersion: number;
  /**
   * The ledger compares this and `url` with the webhook when it records an outcome. An outcome says
   * nothing about a webhook that was changed meanwhile.
   */
  secretCiphertext: string;
  /**
   * The secret that signs: the webhook's secret at this moment. It differs from `secretCiphertext`
   * once an overlap has ended.
   */
  signingCiphertext: string;
  /** The secret that signs beside it while a rotation overlaps; null: there is none. */
  nextCiphertext: string | null;
  body: string;
  /** The attempt's place in the schedule, from 1. */
  attempt: number;
  /** The attempt's number in the log, from 1. The schedule may have begun anew; the log has not. */
  number: number;
  maxAttempts: number | null;
  /** The times at which this attempt became due and was claimed, both by the database's clock. */
  dueAt: Date;
  claimedAt: Date;
};
