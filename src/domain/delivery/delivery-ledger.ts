import type { Attempt, Recorded } from "./attempt.ts";
import type { ClaimedDelivery, MadeClaim, Swept } from "./claim.ts";

/**
 * The methods of the ledger that the relay, the dispatcher and the pruner need. Each of these takes
 * the methods that it needs. Every method is one transaction or one query. It is safe to repeat
 * unless it says otherwise. It fails with Fault `database_unavailable` if the database is out of
 * reach. The whole contract of each method stands at the function of its name in src/ledger.
 */
export type DeliveryLedger = {
  /** Says whether any delivery may wait, due or not, and whether any is claimed. */
  readPending: () => Promise<{ isWaiting: boolean; isClaimed: boolean }>;
  /**
   * Claims due deliveries for the slots that are free now. Claims of at most `direct` deliveries
   * together begin at once.
   */
  claimDeliveries: (direct: number) => Promise<MadeClaim[]>;
  /**
   * Makes claimed deliveries due again, and answers their number. Deliveries that were begun are
   * left alone.
   */
  giveBackClaim: (claims: { tokens: string[] }) => Promise<number>;
  /** Ends the claims whose lease has run out. */
  sweepClaims: () => Promise<Swept>;
  /** The claims that should have been begun by now, the oldest first. The number is bounded. */
  listUnbegunClaims: () => Promise<{ token: string; ageMs: number }[]>;
  /** Succeeds once for a token, and only while enough of its lease is left. */
  beginClaims: (claims: { tokens: string[] }) => Promise<ClaimedDelivery[]>;
  /** Records all of them or none. */
  recordAttempts: (records: Attempt[]) => Promise<Recorded>;
  /**
   * Moves waiting deliveries from webhooks that were replaced to those in their places. Answers the
   * number of deliveries; null: none was left.
   */
  moveWaiting: () => Promise<number | null>;
  /**
   * Does one batch of a recovery that is running. Answers the number of deliveries that it has
   * queued again; null: there is nothing to go on with.
   */
  recoverSome: () => Promise<number | null>;
  /** Forgets old notifications, and answers their number. */
  pruneNotifications: (old: { olderThanMs: number; limit: number }) => Promise<number>;
  /** Forgets answers to requests with an Idempotency-Key, and answers their number. */
  pruneCreditChecks: (old: { limit: number }) => Promise<number>;
  /** Forgets statements that were not finished or whose period was not over, and counts them. */
  pruneStatements: (old: { limit: number }) => Promise<number>;
  pruneAnswers: (old: { limit: number }) => Promise<number>;
  /** Forgets sightings that were kept long enough, and answers their number. */
  pruneSightings: (old: { limit: number }) => Promise<number>;
  /** Forgets webhooks that were replaced or deleted, and answers their number. */
  pruneWebhooks: (old: { olderThanMs: number; limit: number }) => Promise<number>;
  /**
   * Forgets attempts of deliveries that are over. Answers their number, and the delivery after
   * which to go on; null: the rest is not old.
   */
  pruneAttempts: (old: {
    olderThanMs: number;
    limit: number;
    after: bigint;
  }) => Promise<{ count: number; next: bigint | null }>;
  reportDispatcher: (dispatcher: { id: string; slots: number }) => Promise<void>;
  removeDispatcher: (dispatcher: { id: string }) => Promise<void>;
  reportRelay: (relay: { id: string; ttlMs: number }) => Promise<void>;
  endRelay: (relay: { id: string }) => Promise<void>;
  reportWithoutQueue: (relay: { id: string; ttlMs: number }) => Promise<void>;
  endWithoutQueue: (relay: { id: string }) => Promise<void>;
  /** Answers the time by which the database's clock was set back, in ms. */
  followClock: () => Promise<number>;
};
