import type { Job, WorkerOptions } from "bullmq";
import type { QueuedClaim } from "../domain/delivery/claim.ts";

type ClaimJob = { name: string; data: QueuedClaim; opts: { jobId: string } };

/** The methods that are used of BullMQ's Queue. */
export type JobQueue = {
  addBulk: (jobs: ClaimJob[]) => Promise<unknown>;
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

export type Handler = (job: Job<Partial<QueuedClaim> & { token: string }>) => Promise<void>;

/** A part of a backend that is connected, or still connecting. */
export type Opened<T> = {
  it: T;
  /** Resolves once it is connected. What rejects here never works again: disconnect and open another. */
  ready: () => Promise<unknown>;
  /** Ends its connections at once, whatever state they are in. */
  disconnect: () => Promise<void>;
};

/** What a backend must be able to do. Opening does not wait, and connections that break come back by themselves. */
export type QueueConnection = {
  /** Passes where the server is out of reach. @throws Fault `queue_refused` where it can never be worked with */
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
