import type { Database } from "../../ledger/postgres/database.ts";
import { readServer } from "../../ledger/postgres/measures.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/**
 * A tenth of what receivers allow between the time that a notification was signed at and their own.
 */
const toleranceMs = 30_000;

/**
 * Warns while this process's clock and the database's differ: receivers refuse what is signed
 * minutes before or after their time, all of them at once, and nothing else says why. Never
 * unhealthy: which of the two clocks is right cannot be seen from here.
 */
export function watchClock({ db, log }: { db: Database; log: Logger }): Service {
  const service = lookEvery({
    name: "clock",
    everyMs: 30_000,
    async look() {
      const beforeMs = clock.now();
      const { nowMs } = await readServer(db);
      // The time that the answer took does not count as a difference.
      const aheadMs = Math.max(beforeMs - nowMs, 0) - Math.max(nowMs - clock.now(), 0);
      if (Math.abs(aheadMs) > toleranceMs)
        log.warn({ aheadMs: Math.round(aheadMs) }, "clock.differs");
    },
    onError: (error) => log.debug({ error }, "clock.not_compared"),
  });
  return { ...service, trouble: () => null };
}
