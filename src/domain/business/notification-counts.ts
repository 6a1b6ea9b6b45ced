import type { DeliveryStatus } from "../delivery/delivery.ts";
import type { BucketRange } from "../time-bucket.ts";

/** How many notifications have each status. */
export type StatusCounts = Record<DeliveryStatus, number>;

export type NotificationCounts = {
  buckets: (StatusCounts & { at: Date })[];
  total: StatusCounts;
  /** Where there are too many to count all: the older ones of the range are left out. */
  isWhole: boolean;
};

export type NotificationCountsAsked = { businessId: string; range: BucketRange };
