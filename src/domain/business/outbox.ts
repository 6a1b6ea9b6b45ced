import type { AttemptErrorKind } from "../delivery/delivery.ts";

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

/** The failed attempts of one receiver of the report that have one cause. */
export type ReceiverFailures = {
  businessId: string;
  webhookId: string;
  url: string;
  /** The status of the answer; null: there was none. */
  statusCode: number | null;
  /** The reason why there was no answer; null: there was one. */
  errorKind: AttemptErrorKind | null;
  attempts: number;
  firstAt: Date;
  lastAt: Date;
  /** The notification of the last of them, and what was answered to it, as far as it was kept. */
  notificationId: string;
  response: string | null;
};

/** The attempts of all businesses that started in one hour. */
export type HourOfAttempts = Pick<ReceiverRecord, "attempts" | "failed" | "p50Ms" | "p95Ms"> & {
  /** The beginning of the hour, in UTC. */
  at: Date;
};

export type OutboxReport = {
  /** The oldest time whose attempts were looked at, for all but `businesses`. */
  since: Date;
  businesses: BusinessOutbox[];
  receivers: ReceiverRecord[];
  failures: ReceiverFailures[];
  /** The oldest first. */
  hours: HourOfAttempts[];
};
