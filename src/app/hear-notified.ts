import { listenForOutbox, readNotifiedLately } from "../ledger/notifications/outbox-signal.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import type { Wakes } from "../runtime/wakes.ts";
import type { MeasuredBase } from "./base.ts";
import { directUrl } from "./open-queue.ts";

/** The pace of looks while no signal arrives, in ms. */
const pace = { pollMs: 1_000, maxBackoffMs: 15_000 };

/**
 * Listens for what any process writes. Wakes this process's relay, and its requests that wait for a
 * business's notifications. All of them share one connection. Without signals, because of a pooler
 * or a lost connection, it asks the database once a second.
 */
export function hearNotified(
  base: MeasuredBase,
  { wakeRelay, notified }: { wakeRelay: () => void; notified: Wakes },
): Service {
  const { db, log } = base;
  let hasSignals = false;
  const onError = (error: unknown) => log.warn({ error }, "outbox.listening_failed");
  const looking = createLoop({
    name: "feed",
    async step() {
      const followed = hasSignals ? [] : notified.followed();
      if (followed.length > 0) notified.tell(await readNotifiedLately(db, followed));
      return "idle";
    },
    onError,
    clock,
    ...pace,
    stuckAfterMs: null,
  });
  const listening = listenForOutbox({
    databaseUrl: directUrl(base),
    onSignal(named) {
      hasSignals = true;
      wakeRelay();
      notified.tell(named);
    },
    onPooled: () => log.info({}, "outbox.polled"),
    onError(error) {
      hasSignals = false;
      onError(error);
    },
    clock,
  });
  return {
    ...listening,
    async start() {
      await Promise.all([listening.start(), looking.start()]);
    },
    async stop() {
      await Promise.all([listening.stop(), looking.stop()]);
    },
  };
}
