import { randomUUID } from "node:crypto";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { createReporting, everyMs } from "./reporting.ts";

/** Silent for longer than three of them, a relay counts as dead. */
const ttlMs = 3 * everyMs;

/**
 * Says in the ledger that this process has a relay, for the readiness and the metrics of the
 * others.
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
