import type { ApiClient } from "../api/api-client.ts";
import { waitForCount } from "../wait-for.ts";

/**
 * Waits until so many attempts at a business's first webhook are on record. A receiver has had each
 * of them before that.
 */
export function untilOnRecord({ api }: { api: ApiClient }, attempts: number): Promise<true> {
  const onRecord = async () => {
    const notifications: { attempt_count: number }[] = await api.get("/notifications");
    return notifications.reduce((sum, { attempt_count }) => sum + attempt_count, 0);
  };
  return waitForCount(onRecord, attempts, { what: "attempts on record", timeoutMs: 30_000 });
}
