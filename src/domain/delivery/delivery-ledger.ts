import type { AttemptRecord, Recorded } from "./attempt-record.ts";
import type { Claim, Send, Swept, UnbegunClaim } from "./claim.ts";

/**
 * What the relay, the dispatcher and the pruner ask of the ledger; each takes those methods that it needs. Every method
 * is one transaction or one query, is safe to repeat unless it says otherwise, and fails with Fault `database_unavailable`
 * where the database is out of reach. The whole contract of each stands at the function of its name in src/ledger.
 */
export type DeliveryLedger = {
  /** Whether any delivery waits, due or not, and whether any is claimed. */
  readPending: () => Promise<{ isWaiting: boolean; isClaimed: boolean }>;
  /** Claims due deliveries for the slots that are free now. */
  claimDeliveries: () => Promise<Claim[]>;
  /** Answers how many deliveries are due again. What was begun is left alone. */
  giveBackClaim: (claims: { tokens: string[] }) => Promise<number>;
  /** Makes one delivery due again that was begun and not sent. Answers whether its claim still held. */
  giveBackSend: (send: Pick<Send, "deliveryId" | "token">) => Promise<boolean>;
  /** Ends the claims whose lease has run out. */
  sweepClaims: () => Promise<Swept>;
  /** The claims that should have been begun by now, oldest first, a bounded number of them. */
  listUnbegunClaims: () => Promise<UnbegunClaim[]>;
  /** Succeeds once for a token, and only while enough of its lease is left. */
  beginClaims: (claims: { tokens: string[] }) => Promise<Send[]>;
  /** All of them or none. */
  recordAttempts: (records: AttemptRecord[]) => Promise<Recorded>;
  /** From webhooks that were replaced to those in their places. Answers how many deliveries; null: none was left. */
  moveWaiting: () => Promise<number | null>;
  /** Answers how many were forgotten. */
  pruneNotifications: (old: { olderThanMs: number; limit: number }) => Promise<number>;
  /** To requests with an Idempotency-Key. Answers how many were forgotten. */
  pruneAnswers: (old: { limit: number }) => Promise<number>;
  /** Of those that were replaced or deleted. Answers how many were forgotten. */
  pruneWebhooks: (old: { olderThanMs: number; limit: number }) => Promise<number>;
  /** Of deliveries that are over. Answers how many were forgotten, and after which one to go on; null: the rest is not old. */
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
  /** Answers by how many ms the database's clock was set back. */
  followClock: () => Promise<number>;
};
