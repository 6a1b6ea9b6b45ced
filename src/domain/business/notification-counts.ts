import type { DeliveryStatus } from "../delivery/delivery.ts";
import type { BucketRange } from "../time-bucket.ts";

/** The number of notifications with each status. */
export type StatusCounts = Record<DeliveryStatus, number>;

export type NotificationCounts = {
  buckets: (StatusCounts & { at: Date })[];
  total: StatusCounts;
  /** False if there are too many to count. Then the older ones of the range are left out. */
  isWhole: boolean;
};

export type NotificationCountsAsked = {
  businessId: string;
  range: BucketRange;
  /**
   * Counts what was written for this webhook, as it stands there. Null: counts everything, each by
   * the webhook where it stands worst.
   */
  webhookId: string | null;
};
