import type { Notification } from "./notification.ts";

/**
 * Remembers handled notifications. `claim` returns true if this call has to handle the id. After a
 * failure, `release` lets the next repetition try. If the effects are rows of a database, store the
 * ids there too, in the same transaction: see examples/remember-in-postgres.mjs.
 */
export type Memory = {
  claim(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
};

/** The most ids that a memory of this process has. The oldest id is dropped first. */
const defaultMaxIds = 100_000;

/**
 * A memory for this process only. It ends with the process, and other processes do not share it.
 * @param options `maxIds`: the most ids that it remembers, by default 100,000. The oldest id is
 *   dropped first
 */
export function rememberInProcess(options: { maxIds?: number } = {}): Memory {
  const { maxIds = defaultMaxIds } = options;
  const ids = new Set<string>();
  return {
    async claim(id) {
      if (ids.has(id)) return false;
      ids.add(id);
      if (ids.size > maxIds) {
        const [oldest] = ids;
        if (oldest !== undefined) ids.delete(oldest);
      }
      return true;
    },
    async release(id) {
      ids.delete(id);
    },
  };
}

/**
 * - `applied`: the handler has finished now.
 * - `known`: an earlier call has handled the notification, or is handling it.
 * - `failed`: the memory or the handler failed. The next call may try again.
 */
type Applied = { kind: "applied" } | { kind: "known" } | { kind: "failed"; error: unknown };

/** Gives a notification to the handler, unless the memory knows its id. Never rejects. */
export async function applyOnce(
  to: { memory: Memory; onNotification: (notification: Notification) => unknown },
  notification: Notification,
): Promise<Applied> {
  const { memory, onNotification } = to;
  const { id } = notification;
  try {
    if (!(await memory.claim(id))) return { kind: "known" };
  } catch (error) {
    return { kind: "failed", error };
  }
  try {
    await onNotification(notification);
    return { kind: "applied" };
  } catch (error) {
    await memory.release(id).catch(() => undefined);
    return { kind: "failed", error };
  }
}
