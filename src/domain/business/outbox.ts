/**
 * The deliveries that one business still waits for. `held` counts those that wait for an active
 * webhook.
 */
export type BusinessOutbox = {
  businessId: string;
  name: string;
  waiting: number;
  held: number;
  oldestWaitingAt: Date | null;
};

/** The record of one receiver's answers. */
export type ReceiverRecord = {
  businessId: string;
  webhookId: string;
  url: string;
  attempts: number;
  /** The attempts that were not accepted. */
  failed: number;
  p50Ms: number;
  p95Ms: number;
};

export type OutboxReport = { businesses: BusinessOutbox[]; receivers: ReceiverRecord[] };
