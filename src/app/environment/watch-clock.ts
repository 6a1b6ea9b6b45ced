import type { Database } from "../../ledger/postgres/database.ts";
import { readServer } from "../../ledger/postgres/measures.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/** A tenth of the difference that receivers accept between a signature's time and their own. */
const toleranceMs = 30_000;

/**
 * Warns while the clocks of this process and the database differ. All receivers refuse what is
 * signed minutes before or after their own time, and no other message would say why. Never
 * unhealthy: this process cannot know which of the two clocks is right.
 */
export function watchClock({ db, log }: { db: Database; log: Logger }): Service {
  return lookEvery({
    name: "clock",
    everyMs: 30_000,
    stuckAfterMs: null,
    async look() {
      const beforeMs = clock.now();
      const { nowMs } = await readServer(db);
      // Leaves out the time that the answer took.
      const aheadMs = Math.max(beforeMs - nowMs, 0) - Math.max(nowMs - clock.now(), 0);
      if (Math.abs(aheadMs) > toleranceMs)
        log.warn({ aheadMs: Math.round(aheadMs) }, "clock.differs");
    },
    onError: (error) => log.debug({ error }, "clock.not_compared"),
  });
}
