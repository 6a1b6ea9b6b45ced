/** What of one business is still to be delivered. `held` waits for a webhook that is active. */
export type BusinessOutbox = {
  businessId: string;
  name: string;
  waiting: number;
  held: number;
  oldestWaitingAt: Date | null;
};

/** How one receiver answers. */
export type ReceiverRecord = {
  businessId: string;
  webhookId: string;
  url: string;
  attempts: number;
  /** Those that were not accepted. */
  failed: number;
  p50Ms: number;
  p95Ms: number;
};

export type OutboxReport = { businesses: BusinessOutbox[]; receivers: ReceiverRecord[] };
