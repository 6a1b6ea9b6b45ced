import { answered, api, type Schema } from "../../wire/api.ts";
import type { Asking } from "../../wire/use-answer.ts";

type Counts = {
  buckets: Schema<"NotificationCount">[];
  total: Schema<"NotificationTotal">;
  /** Notifications that wait, are held or were given up at any webhook. */
  undelivered: number;
  /** True if the whole period was counted. */
  complete: boolean;
};

/** Reads how many notifications of a period have each status. */
export async function readNotificationCounts(
  query: { from: string; to: string; bucket: "hour" | "day" },
  as: Asking,
): Promise<Counts> {
  const { data } = await answered(api.GET("/notifications/counts", { params: { query }, ...as }));
  return data;
}
