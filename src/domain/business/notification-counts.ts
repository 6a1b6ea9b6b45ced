import type { DeliveryStatus } from "../delivery/delivery.ts";
import type { BucketRange } from "../time-bucket.ts";

/** The number of notifications with each status. */
export type StatusCounts = Record<DeliveryStatus, number>;

export type NotificationCounts = {
  buckets: (StatusCounts & { at: Date })[];
  total: StatusCounts;
  /**
   * The notifications that wait, are held or were given up, at any webhook or at the one asked
   * about.
   */
  undelivered: number;
  /** False if there are too many to count. Then the older ones of the range are left out. */
  isWhole: boolean;
};

export type NotificationCountsAsked = {
  businessId: string;
  range: BucketRange;
  /**
   * Counts what was written for this webhook, as it stands there; null: everything, as it stands
   * at the first webhook.
   */
  webhookId: string | null;
};
