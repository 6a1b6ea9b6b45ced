import type { Claim } from "./claim.ts";

/**
 * A queue of claims, each named by its token. It may be emptied at any instant, and nothing is
 * lost.
 */
export type ClaimQueue = {
  /**
   * Adds one job for each claim. A claim that is in the queue already stays one job. Fails within
   * seconds.
   * @throws Fault `queue_unavailable`; some of the claims may be in the queue all the same
   */
  enqueue: (claims: Claim[]) => Promise<void>;
  /**
   * True if a job waits or is being handled.
   * @throws Fault `queue_unavailable`
   */
  has: (token: Claim["token"]) => Promise<boolean>;
};

/** The settings by which claims are taken from the queue. */
export type ClaimConsumerOptions = {
  /** Claims handled at the same time. */
  concurrency: number;
  /**
   * Called once for each job. An error that it throws goes to `onError` and ends the job, because
   * the ledger decides about further attempts. Its signal is aborted when `stop` has no more time.
   */
  handle: (claim: Claim, signal: AbortSignal) => Promise<void>;
  /**
   * Gets the errors that handlers throw, and connection errors. Connection errors come in numbers
   * while the queue is away.
   */
  onError: (error: Error) => void;
  /** The time that `stop` waits for running handlers before it aborts them, in ms. */
  stopWithinMs: number;
  /**
   * A job whose worker is silent for this time, in ms, is dropped. The queue looks for such jobs as
   * often.
   */
  stalledAfterMs: number;
};
