import type { Job, WorkerOptions } from "bullmq";
import type { Claim } from "../domain/delivery/claim.ts";

/** The methods of BullMQ's Queue that are used here. */
export type JobQueue = {
  addBulk: (jobs: { name: string; data: Claim; opts: { jobId: string } }[]) => Promise<unknown>;
  getJob: (id: string) => Promise<unknown>;
};

/** The methods of BullMQ's Worker that are used here. */
export type JobWorker = {
  run: () => Promise<void>;
  isRunning: () => boolean;
  close: () => Promise<void>;
};

/** The settings of a worker that are the same on every backend. */
type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

export type Handler = (job: Job<Partial<Claim> & { token: string }>) => Promise<void>;

/** A part of a backend that is connected, or still connecting. */
export type Opened<T> = {
  it: T;
  /**
   * Resolves once it is connected. If this rejects, the part never works again: disconnect it and
   * open another.
   */
  ready: () => Promise<unknown>;
  /** Ends its connections at once, in any state. */
  disconnect: () => Promise<void>;
};

/**
 * The functions of a backend. Opening does not wait, and broken connections are made again
 * automatically.
 */
export type QueueConnection = {
  /**
   * Does not throw if the server is out of reach.
   * @throws Fault `queue_refused` if the server can never work
   */
  check: () => Promise<void>;
  openQueue: (onError: (error: Error) => void) => Opened<JobQueue>;
  openWorker: (options: {
    handle: Handler;
    settings: WorkerSettings;
    onError: (error: Error) => void;
  }) => Opened<JobWorker>;
};

/** One queue for the deliveries of all businesses: the relay has already made it fair. */
export const queueName = "deliveries";
