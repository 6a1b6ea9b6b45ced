import type { Notification } from "./notification.ts";

/**
 * - `claimed`: this call has to handle the notification.
 * - `handled`: an earlier call has handled it.
 * - `busy`: another call is handling it, and may fail. Chainbell sends it again later.
 */
export type Claim = "claimed" | "handled" | "busy";

/**
 * Remembers handled notifications. If the effects are rows of a database, store the ids there too,
 * in the same transaction: see examples/remember-in-postgres.mjs.
 *
 * A process may end while it handles a claimed id. In a memory outside of the process, a claim must
 * end by itself, after longer than your handler ever takes. The id is then claimed again: nothing
 * is lost, and its effects may come twice.
 */
export type Memory = {
  /** Claims an id, unless it is handled or claimed. Of several calls at once, one claims it. */
  claim(id: string): Promise<Claim>;
  /** Remembers a claimed id as handled. If this rejects, the effects stay. */
  keep(id: string): Promise<void>;
  /** Ends the claim of an id whose handler failed. */
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
  const ids = new Map<string, Exclude<Claim, "claimed">>();
  return {
    async claim(id) {
      const known = ids.get(id);
      if (known !== undefined) return known;
      ids.set(id, "busy");
      if (ids.size > maxIds) {
        const [oldest] = ids.keys();
        if (oldest !== undefined) ids.delete(oldest);
      }
      return "claimed";
    },
    async keep(id) {
      ids.set(id, "handled");
    },
    async release(id) {
      ids.delete(id);
    },
  };
}

/**
 * - `applied`: the handler has finished now.
 * - `known`: an earlier call has handled the notification.
 * - `failed`: the memory or the handler failed, or another call is handling it. The next call may
 *   try again.
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
    const claim = await memory.claim(id);
    if (claim === "handled") return { kind: "known" };
    if (claim === "busy")
      return { kind: "failed", error: new Error(`Another call is handling ${id}.`) };
  } catch (error) {
    return { kind: "failed", error };
  }
  try {
    await onNotification(notification);
  } catch (error) {
    await memory.release(id).catch(() => undefined);
    return { kind: "failed", error };
  }
  await memory.keep(id).catch(() => undefined);
  return { kind: "applied" };
}
