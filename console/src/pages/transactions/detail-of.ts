import type { Schema } from "../../wire/api.ts";

type Described = Schema<"TransactionDetail">;

/** What is known of a notification beside its status, where the server says it. */
type NotificationTimes = {
  created_at?: string;
  last_attempt_at?: string | null;
  next_attempt_at?: string | null;
  reverses_notification_id?: string | null;
};

/** A transaction, with the times of its course where the server says them. */
export type Detail = Omit<Described, "notifications"> & {
  seen_at?: string;
  completed_at?: string | null;
  notifications: (Described["notifications"][number] & NotificationTimes)[];
};
