import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import { createLoop, type Loop } from "../runtime/loop.ts";
import { type RelayPorts, relay } from "./relay.ts";
import { type SweepPorts, sweep } from "./sweep.ts";

/** After an outage of database or queue the next try comes within this. */
const maxBackoffMs = 5_000;
const stuckAfterMs = 20_000;
/**
 * After each claim, for slots to become free meanwhile: without it the relay would run as fast as it can to claim a few
 * deliveries each time. What is claimed ahead keeps the dispatchers busy for longer than this.
 */
const lingerMs = 5;
/** If a job has waited this long, the dispatchers are not taking any. */
const deafAfterMs = 20_000;

/**
 * The relay as a service: from the ledger's delivery rows to the queue. `wake` it when something may have become due
 * or a slot free; `pollMs` is the safety net, and how late a retry may start.
 */
export function createOutbox(
  options: RelayPorts &
    SweepPorts & {
      ledger: Pick<DeliveryLedger, "readPending">;
      clock: Clock;
      pollMs: number;
      sweepEveryMs: number;
    },
): Loop {
  const { ledger, queue, clock, log, pollMs, sweepEveryMs } = options;
  let nextSweepMs = clock.elapsed();
  let oldestQueuedMs = 0;
  let isWoken = true;

  /** Whoever woke it, or left more than one claim takes, knows that something is there; else one query finds out, in place of ten statements. */
  async function readPending(): ReturnType<DeliveryLedger["readPending"]> {
    if (!isWoken) return ledger.readPending();
    isWoken = false;
    return { isWaiting: true, isClaimed: true };
  }

  async function sweepWhenDue(): Promise<void> {
    if (clock.elapsed() < nextSweepMs) return;
    nextSweepMs = clock.elapsed() + sweepEveryMs;
    try {
      oldestQueuedMs = await sweep({ ledger, queue, log });
    } catch (error) {
      // The relay's own step fails in the same outage and reports it to the loop.
      log.warn({ error }, "sweep.failed");
    }
  }

  const loop = createLoop({
    name: "outbox",
    async step(signal) {
      const { isWaiting, isClaimed } = await readPending();
      if (isClaimed) await sweepWhenDue();
      else oldestQueuedMs = 0;
      if (!isWaiting) return "idle";
      const result = await relay({ ledger, queue, log });
      if (result === "again") {
        // More may be due than one transaction claims, and more slots free in a moment.
        isWoken = true;
        await clock.sleep(lingerMs, signal);
      }
      return result;
    },
    onError: (error, failures) => log.error({ error, failures }, "relay.failed"),
    clock,
    pollMs,
    maxBackoffMs,
    stuckAfterMs,
  });

  return {
    ...loop,
    wake() {
      isWoken = true;
      loop.wake();
    },
    trouble() {
      if (oldestQueuedMs > deafAfterMs)
        return "jobs wait in the queue and no dispatcher takes them";
      return loop.trouble();
    },
  };
}
