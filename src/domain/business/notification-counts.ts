import type { DeliveryStatus } from "../delivery/delivery.ts";
import type { BucketRange } from "../time-bucket.ts";

/** The number of notifications with each status. */
export type StatusCounts = Record<DeliveryStatus, number>;

export type NotificationCounts = {
  buckets: (StatusCounts & { at: Date })[];
  total: StatusCounts;
  /** False if there are too many to count all. The older ones of the range are then left out. */
  isWhole: boolean;
};

export type NotificationCountsAsked = { businessId: string; range: BucketRange };
