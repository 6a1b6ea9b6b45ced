import type { AttemptErrorKind } from "../delivery/delivery.ts";

/** The deliveries of one business that wait. `held`: those without an active webhook. */
export type BusinessOutbox = {
  businessId: string;
  name: string;
  waiting: number;
  held: number;
  oldestWaitingAt: Date | null;
};

/** The answers of one receiver. */
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

/** The failed attempts of one receiver with the same cause. */
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
  /** The notification of the last of these attempts, and the receiver's answer if it was kept. */
  notificationId: string;
  response: string | null;
};

/** The attempts of all businesses that started in one hour. */
export type HourOfAttempts = Pick<ReceiverRecord, "attempts" | "failed" | "p50Ms" | "p95Ms"> & {
  /** The beginning of the hour, in UTC. */
  at: Date;
};

/** The most waiting and held deliveries in the period that begins at `at`. */
export type QueueSample = Pick<BusinessOutbox, "waiting" | "held"> & { at: Date };

export type OutboxReport = {
  /** The time of the oldest attempt that was read. It does not concern `businesses`. */
  since: Date;
  businesses: BusinessOutbox[];
  receivers: ReceiverRecord[];
  failures: ReceiverFailures[];
  /** The oldest first. */
  hours: HourOfAttempts[];
  /** The oldest first. */
  queue: QueueSample[];
};
