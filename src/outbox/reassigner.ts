import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop, type Loop } from "../runtime/loop.ts";

/** Between two steps: so that what one business moves takes a small part of the database's time. */
const pauseMs = 100;

/** The loop looks by itself after this. It is woken while deliveries are to be moved. */
const restMs = 60_000;
/** The first pause after a failure, and the longest. */
const pollMs = 1_000;
const maxBackoffMs = 5_000;

/**
 * Moves what waits for webhooks that were replaced, and queues again what recoveries are for: some
 * at a time, in a loop of its own. Never unhealthy: it is late at most.
 */
export function createReassigner(of: {
  ledger: Pick<DeliveryLedger, "moveWaiting" | "recoverSome">;
  clock: Clock;
  log: Logger;
}): Loop {
  const { ledger, clock, log } = of;
  const loop = createLoop({
    name: "reassigner",
    async step(signal) {
      const moved = await ledger.moveWaiting();
      if (moved !== null) log.debug({ deliveries: moved }, "deliveries.moved");
      const recovered = await ledger.recoverSome();
      if (recovered !== null) log.debug({ deliveries: recovered }, "deliveries.recovered");
      if (moved === null && recovered === null) return { idleMs: restMs };
      await clock.sleep(pauseMs, signal);
      return "again";
    },
    onError: (error, failures) => log.warn({ error, failures }, "mover.failed"),
    clock,
    pollMs,
    maxBackoffMs,
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  return { ...loop, trouble: () => null };
}
