import { answered, api, type Schema } from "../../wire/api.ts";
import type { Asking } from "../../wire/use-answer.ts";

type Counts = {
  buckets: Schema<"NotificationCount">[];
  total: Schema<"NotificationTotal">;
  /** Whether all of the time was counted. */
  complete: boolean;
};

/** How many notifications of a time have which status. */
export async function readNotificationCounts(
  query: { from: string; to: string; bucket: "hour" | "day" },
  as: Asking,
): Promise<Counts> {
  const { data } = await answered(api.GET("/notifications/counts", { params: { query }, ...as }));
  return data;
}
