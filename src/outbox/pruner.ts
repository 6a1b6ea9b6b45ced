import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";

type Ledger = Pick<DeliveryLedger, "pruneNotifications" | "pruneWebhooks" | "pruneAnswers">;

/** Deleted in one transaction: that takes some tens of milliseconds. */
const limit = 1_000;

/** Retention is counted in days, so ten minutes do not matter. */
const everyMs = 600_000;

/** Deletes old notifications, replaced webhooks and what was answered to requests with a key, in a loop of its own. Never unhealthy: nothing waits for it. */
export function createPruner(
  { ledger, clock, log }: { ledger: Ledger; clock: Clock; log: Logger },
  { olderThanMs }: { olderThanMs: number },
): Service {
  const loop = createLoop({
    name: "pruner",
    async step() {
      const notifications = await ledger.pruneNotifications({ olderThanMs, limit });
      if (notifications > 0) log.info({ notifications }, "notifications.forgotten");
      const webhooks = await ledger.pruneWebhooks({ olderThanMs, limit });
      if (webhooks > 0) log.info({ webhooks }, "webhooks.forgotten");
      const answers = await ledger.pruneAnswers({ limit });
      return [notifications, webhooks, answers].every((count) => count < limit) ? "idle" : "again";
    },
    onError: (error, failures) => log.warn({ error, failures }, "pruner.failed"),
    clock,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  return { ...loop, trouble: () => null };
}
