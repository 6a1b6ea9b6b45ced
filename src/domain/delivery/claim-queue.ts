import type { Claim } from "./claim.ts";

/**
 * A queue of claims, each named by its token. The queue may lose everything at any time without
 * harm.
 */
export type ClaimQueue = {
  /**
   * Adds one job for each claim. A claim that is queued already stays one job. Fails within
   * seconds.
   * @throws Fault `queue_unavailable`; some of the claims may be queued even then
   */
  enqueue: (claims: Claim[]) => Promise<void>;
  /**
   * True if a job waits or is being handled.
   * @throws Fault `queue_unavailable`
   */
  has: (token: Claim["token"]) => Promise<boolean>;
};

/** The way in which claims are taken from the queue. */
export type ClaimConsumerOptions = {
  /** Claims handled at the same time. */
  concurrency: number;
  /**
   * Called once for each job. An error of it goes to `onError` and ends the job: the ledger decides
   * about further attempts. The signal is aborted when `stop` runs out of time.
   */
  handle: (claim: Claim, signal: AbortSignal) => Promise<void>;
  /**
   * Receives errors of `handle`, and connection errors, which are many while the queue is out of
   * reach.
   */
  onError: (error: Error) => void;
  /** `stop` waits this many ms for running handlers. Then it aborts them. */
  stopWithinMs: number;
  /**
   * A job whose worker was silent for this many ms is dropped. The queue also looks for such jobs
   * this often.
   */
  stalledAfterMs: number;
};
