import { listenForOutbox, readNotifiedLately } from "../ledger/notifications/outbox-signal.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import type { Wakes } from "../runtime/wakes.ts";
import type { MeasuredBase } from "./base.ts";
import { directUrl } from "./open-queue.ts";

/** The pace of looks where nothing is heard, in ms. */
const pace = { pollMs: 1_000, maxBackoffMs: 15_000 };

/**
 * Hears what any process writes: it wakes the relay of this one, and those of its requests that
 * wait for a business's notifications. One connection is for all of them. While nothing is heard,
 * behind a pooler or without that connection, one question a second is.
 */
export function hearNotified(
  base: MeasuredBase,
  { wakeRelay, notified }: { wakeRelay: () => void; notified: Wakes },
): Service {
  const { db, log } = base;
  let isHeard = false;
  const onError = (error: unknown) => log.warn({ error }, "outbox.listening_failed");
  const looking = createLoop({
    name: "feed",
    async step() {
      const followed = isHeard ? [] : notified.followed();
      if (followed.length > 0) notified.tell(await readNotifiedLately(db, followed));
      return "idle";
    },
    onError,
    clock,
    ...pace,
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  const listening = listenForOutbox({
    databaseUrl: directUrl(base),
    onSignal(named) {
      isHeard = true;
      wakeRelay();
      notified.tell(named);
    },
    onPooled: () => log.info({}, "outbox.polled"),
    onError(error) {
      isHeard = false;
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
