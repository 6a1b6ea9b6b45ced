import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop, type Loop } from "../runtime/loop.ts";

/**
 * The pause between two steps, so that the work for one business takes little of the database's
 * time.
 */
const pauseMs = 100;

/** The loop looks by itself after this time. It is woken while there are deliveries to move. */
const restMs = 60_000;
/** The first pause after a failure, and the longest. */
const pollMs = 1_000;
const maxBackoffMs = 5_000;

/**
 * Takes what waits for replaced and deleted webhooks, and goes on with changed orders. Queues again
 * what recoveries ask for. Works in batches, in its own loop. A kind of work that fails delays no
 * other. Never unhealthy: the only harm is a delay.
 */
export function createReassigner(of: {
  ledger: Pick<DeliveryLedger, "moveWaiting" | "arrangeWaiting" | "recoverSome">;
  clock: Clock;
  log: Logger;
}): Loop {
  const { ledger, clock, log } = of;
  return createLoop({
    name: "reassigner",
    async step(signal) {
      const failures: unknown[] = [];
      const orNull = <Done>(work: Promise<Done>) =>
        work.catch((error: unknown) => {
          failures.push(error);
          return null;
        });
      const moved = await orNull(ledger.moveWaiting());
      if (moved !== null) log.debug({ deliveries: moved }, "deliveries.moved");
      const isArranging = await orNull(ledger.arrangeWaiting());
      const recovered = await orNull(ledger.recoverSome());
      if (recovered !== null) log.debug({ deliveries: recovered }, "deliveries.recovered");
      if (failures.length > 0) throw failures[0];
      if (moved === null && isArranging !== true && recovered === null) return { idleMs: restMs };
      await clock.sleep(pauseMs, signal);
      return "again";
    },
    onError: (error, failures) => log.warn({ error, failures }, "mover.failed"),
    clock,
    pollMs,
    maxBackoffMs,
    stuckAfterMs: null,
  });
}
