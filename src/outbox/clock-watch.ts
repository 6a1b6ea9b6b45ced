import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { createReporting } from "./reporting.ts";

/** Sees when the database's clock is set back, so that nothing waits for the time before. Never unhealthy: that is rare, and the relay's to say. */
export function watchDatabaseClock(of: {
  ledger: Pick<DeliveryLedger, "followClock">;
  clock: Clock;
  log: Logger;
}): Service {
  const { ledger, ...ports } = of;
  const watch = createReporting({
    name: "database clock",
    stuckAfterMs: Number.POSITIVE_INFINITY,
    async report() {
      const setBackMs = await ledger.followClock();
      if (setBackMs > 0) ports.log.warn({ setBackMs }, "database.clock_set_back");
    },
    end: async () => {},
    events: { notReported: "database.clock_not_followed", notEnded: "database.clock_not_followed" },
    ...ports,
  });
  return { ...watch, trouble: () => null };
}
