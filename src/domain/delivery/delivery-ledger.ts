import type { Attempt, Judged, Recorded } from "./attempt.ts";
import type { ClaimedDelivery, MadeClaim, Swept } from "./claim.ts";

/**
 * The methods of the ledger for relay, dispatcher and pruner. Each method is one transaction or one
 * query, and safe to repeat unless it says otherwise. It fails with Fault `database_unavailable` if
 * the database is out of reach. The full contract of a method is at the function of that name in
 * src/ledger.
 */
export type DeliveryLedger = {
  /** Says whether any delivery may wait, due or not, and whether any is claimed. */
  readPending: () => Promise<{ isWaiting: boolean; isClaimed: boolean }>;
  /**
   * Claims due deliveries for the slots that are free now. Claims of up to `direct` deliveries in
   * total begin at once.
   */
  claimDeliveries: (direct: number) => Promise<MadeClaim[]>;
  /** Makes the deliveries of claims that were not begun due again. Answers how many. */
  giveBackClaim: (claims: { tokens: string[] }) => Promise<number>;
  /** Ends the claims whose lease has expired. */
  sweepClaims: () => Promise<Swept>;
  /** Claims that should have begun by now, oldest first, a limited number. */
  listUnbegunClaims: () => Promise<{ token: string; ageMs: number }[]>;
  /** Succeeds once for a token, while enough of its lease is left. */
  beginClaims: (claims: { tokens: string[] }) => Promise<ClaimedDelivery[]>;
  /** Records all attempts, or none. `areRepeated`: an earlier call may have stored them. */
  recordAttempts: (records: Attempt[], areRepeated: boolean) => Promise<Recorded>;
  /** Moves the health of webhooks by attempts that `recordAttempts` has left unjudged. */
  judgeWebhooks: (unjudged: Attempt[]) => Promise<Judged>;
  /**
   * Moves waiting deliveries from replaced webhooks to their successors, and cancels those of
   * deleted ones. Answers how many; null: none was left.
   */
  moveWaiting: () => Promise<number | null>;
  /** Goes on with the changed order of a webhook. False: nothing was left. */
  arrangeWaiting: () => Promise<boolean>;
  /**
   * Does one batch of a running recovery. Answers how many deliveries it queued again; null: no
   * recovery is running.
   */
  recoverSome: () => Promise<number | null>;
  /** Deletes old notifications, and answers how many. */
  pruneNotifications: (old: { olderThanMs: number; limit: number }) => Promise<number>;
  /** Deletes runs of the credit check that are not kept any more, and answers how many rows. */
  pruneCreditChecks: (old: { limit: number }) => Promise<number>;
  /**
   * Deletes statements that were not finished, or whose period was not over, and answers how many.
   */
  pruneStatements: (old: { limit: number }) => Promise<number>;
  pruneAnswers: (old: { limit: number }) => Promise<number>;
  /** Deletes old sightings, and answers how many. */
  pruneSightings: (old: { limit: number }) => Promise<number>;
  /** Deletes webhooks that were replaced or deleted long ago, and answers how many. */
  pruneWebhooks: (old: { olderThanMs: number; limit: number }) => Promise<number>;
  /**
   * Deletes old attempts of deliveries that are over. Answers how many, and the attempt after which
   * to continue; null: the rest is not old.
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
  /** Corrects waiting times if the database's clock was set back. Answers by how many ms. */
  followClock: () => Promise<number>;
};
