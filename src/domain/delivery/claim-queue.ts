import type { Claim, QueuedClaim } from "./claim.ts";

/** A queue of claims, each named by its token. It may be emptied at any instant: nothing is lost. */
export type ClaimQueue = {
  /**
   * Adds one job for each claim; one that is in the queue already stays one job. Fails within seconds.
   * @throws Fault `queue_unavailable`; some of the claims may be in the queue all the same
   */
  enqueue: (claims: QueuedClaim[]) => Promise<void>;
  /**
   * Whether a job waits or is being handled.
   * @throws Fault `queue_unavailable`
   */
  has: (token: Claim["token"]) => Promise<boolean>;
};

/** How claims are taken from the queue. */
export type ClaimConsumerOptions = {
  /** Claims handled at the same time. */
  concurrency: number;
  /**
   * Called once for each job. What it throws goes to `onError` and ends the job: trying again is the ledger's
   * affair. Its signal is aborted when `stop` has no more time.
   */
  handle: (claim: QueuedClaim, signal: AbortSignal) => Promise<void>;
  /** Is given what handlers throw, and connection errors; those come in numbers while the queue is away. */
  onError: (error: Error) => void;
  /** How long `stop` waits for the handlers that are running before it aborts them. */
  stopWithinMs: number;
  /** A job whose worker is silent for this long is dropped; looked for as often. */
  stalledAfterMs: number;
};
