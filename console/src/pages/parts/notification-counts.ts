import { readOptional } from "../../wire/optional.ts";
import type { Asking } from "../../wire/use-answer.ts";

type Counts = {
  waiting: number;
  delivered: number;
  exhausted: number;
  held: number;
  cancelled: number;
};

export type NotificationCounts = { buckets: ({ at: string } & Counts)[]; total: Counts };

/** How many notifications of a time have which status; null where the server does not count them. */
export async function readNotificationCounts(
  range: { from: string; to: string; bucket?: string },
  as: Asking,
): Promise<NotificationCounts | null> {
  const answer = await readOptional<{ data: NotificationCounts }>(
    "/notifications/counts",
    range,
    as,
  );
  return answer === null ? null : answer.data;
}
