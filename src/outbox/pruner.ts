import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";

type Ledger = Pick<
  DeliveryLedger,
  | "pruneNotifications"
  | "pruneWebhooks"
  | "pruneAttempts"
  | "pruneAnswers"
  | "pruneSightings"
  | "pruneCreditChecks"
  | "pruneStatements"
>;

/** Rows older than this, in ms, are deleted. Null: none are. */
export type Retention = { notificationsMs: number | null; attemptsMs: number | null };

/** The rows that one transaction deletes, in some tens of milliseconds. */
const limit = 1_000;

/** There are many lines of credits, and no other row refers to them. */
const linesLimit = 10_000;

/** One statement may have thousands of chunks. */
const statementsLimit = 10;

/** Retention is counted in days, so ten minutes make no difference. */
const everyMs = 600_000;

/**
 * Deletes rows that are stored for a fixed time. These are answers to requests with an
 * Idempotency-Key, sightings of unlisted tokens, and statements of periods that were not over.
 * Deletes runs of credit checks above the limit of a business. By the retention, deletes old
 * notifications, replaced webhooks and attempts. Runs in its own loop, a batch at a time. Never
 * unhealthy: no other part depends on it.
 */
export function createPruner(
  { ledger, clock, log }: { ledger: Ledger; clock: Clock; log: Logger },
  { notificationsMs, attemptsMs }: Retention,
): Service {
  const forgotten = (
    what: "notifications" | "webhooks" | "attempts" | "sightings",
    count: number,
  ) => {
    if (count > 0) log.info({ [what]: count }, `${what}.forgotten`);
    return count === limit;
  };

  async function pruneOld(olderThanMs: number): Promise<boolean> {
    const notifications = await ledger.pruneNotifications({ olderThanMs, limit });
    const webhooks = await ledger.pruneWebhooks({ olderThanMs, limit });
    const more = [forgotten("notifications", notifications), forgotten("webhooks", webhooks)];
    return more.includes(true);
  }

  /** The place up to which the attempts have been checked. */
  let after = 0n;
  async function pruneAttempts(olderThanMs: number): Promise<boolean> {
    const { count, next } = await ledger.pruneAttempts({ olderThanMs, limit, after });
    forgotten("attempts", count);
    after = next ?? 0n;
    return next !== null;
  }

  return createLoop({
    name: "pruner",
    async step() {
      const isFull = [
        (await ledger.pruneAnswers({ limit })) === limit,
        forgotten("sightings", await ledger.pruneSightings({ limit })),
        (await ledger.pruneCreditChecks({ limit: linesLimit })) > 0,
        (await ledger.pruneStatements({ limit: statementsLimit })) === statementsLimit,
        notificationsMs !== null && (await pruneOld(notificationsMs)),
        attemptsMs !== null && (await pruneAttempts(attemptsMs)),
      ];
      return isFull.includes(true) ? "again" : "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "pruner.failed"),
    clock,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    stuckAfterMs: null,
  });
}
