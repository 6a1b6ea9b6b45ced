import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";

/** A clock that was set back is noticed within this time. */
const everyMs = 5_000;

/**
 * Notices when the database's clock was set back, so that nothing waits until the old time. Never
 * unhealthy: this is rare, and the relay reports a database out of reach.
 */
export function watchDatabaseClock(of: {
  ledger: Pick<DeliveryLedger, "followClock">;
  clock: Clock;
  log: Logger;
}): Service {
  const { ledger, clock, log } = of;
  return createLoop({
    name: "database clock",
    clock,
    stuckAfterMs: null,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    async step() {
      const setBackMs = await ledger.followClock();
      if (setBackMs > 0) log.warn({ setBackMs }, "database.clock_set_back");
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "database.clock_not_followed"),
  });
}
