import { randomUUID } from "node:crypto";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { createReporting, everyMs } from "./reporting.ts";

/** A relay that has not reported for this time counts as dead. */
const ttlMs = 3 * everyMs;

/**
 * Reports to the ledger that this process has a relay. The readiness and the metrics of other
 * processes show that.
 */
export function createHeartbeat(of: {
  ledger: Pick<DeliveryLedger, "reportRelay" | "endRelay">;
  clock: Clock;
  log: Logger;
}): Service {
  const { ledger, ...ports } = of;
  const id = randomUUID();
  return createReporting({
    name: "relay heartbeat",
    stuckAfterMs: 2 * ttlMs,
    report: () => ledger.reportRelay({ id, ttlMs }),
    end: () => ledger.endRelay({ id }),
    events: { notReported: "relay.heartbeat_failed", notEnded: "relay.not_ended" },
    ...ports,
  });
}
