import type { Job, WorkerOptions } from "bullmq";
import type { Claim } from "../domain/delivery/claim.ts";

/** The methods that are used of BullMQ's Queue. */
export type JobQueue = {
  addBulk: (jobs: { name: string; data: Claim; opts: { jobId: string } }[]) => Promise<unknown>;
  getJob: (id: string) => Promise<unknown>;
};

/** The methods that are used of BullMQ's Worker. */
export type JobWorker = {
  run: () => Promise<void>;
  isRunning: () => boolean;
  close: () => Promise<void>;
};

/** The parts of a worker that are the same on every backend. */
type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

export type Handler = (job: Job<Partial<Claim> & { token: string }>) => Promise<void>;

/** A part of a backend that is connected, or still connecting. */
export type Opened<T> = {
  it: T;
  /**
   * Resolves once it is connected. A part that rejects here never works again: disconnect it and
   * open another.
   */
  ready: () => Promise<unknown>;
  /** Ends its connections at once, whatever state they are in. */
  disconnect: () => Promise<void>;
};

/**
 * The duties of a backend. Opening does not wait, and connections that break come back by
 * themselves.
 */
export type QueueConnection = {
  /**
   * Passes where the server is out of reach. @throws Fault `queue_refused` where it can never be
   * worked with
   */
  check: () => Promise<void>;
  openQueue: (onError: (error: Error) => void) => Opened<JobQueue>;
  openWorker: (options: {
    handle: Handler;
    settings: WorkerSettings;
    onError: (error: Error) => void;
  }) => Opened<JobWorker>;
};

/** One queue for the deliveries of all businesses: fairness is decided before it, by the relay. */
export const queueName = "deliveries";
