import { randomUUID } from "node:crypto";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";

const everyMs = 5_000;

/** Silent for longer than three of them, a relay counts as dead. */
const ttlMs = 3 * everyMs;

/** Says in the ledger that this process has a relay, for the readiness and the metrics of the others. */
export function createHeartbeat(of: {
  ledger: Pick<DeliveryLedger, "reportRelay" | "endRelay">;
  clock: Clock;
  log: Logger;
}): Service {
  const { ledger, clock, log } = of;
  const id = randomUUID();
  const loop = createLoop({
    name: "relay heartbeat",
    async step() {
      await ledger.reportRelay({ id, ttlMs });
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "relay.heartbeat_failed"),
    clock,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    stuckAfterMs: 2 * ttlMs,
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await ledger
        .endRelay({ id })
        .catch((error: unknown) => log.warn({ error }, "relay.not_ended"));
    },
  };
}
