import { randomUUID } from "node:crypto";
import type { ClaimQueue } from "../domain/delivery/claim-queue.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { createReporting, everyMs } from "./reporting.ts";

/** Longer than two looks, each of which may wait until the queue's time limit. */
const ttlMs = 6 * everyMs;

type QueueWatch = {
  /** The queue to give to the relay. Its answers to the relay are noted. */
  queue: ClaimQueue;
  watch: Service;
};

/**
 * Reports to the ledger, for the alerts, while this relay cannot reach the queue. Asks the queue
 * every few seconds, and notes the queue's answers to the relay. Never unhealthy: the relay itself
 * is, once something is due that cannot begin without the queue.
 */
export function watchQueue(
  ledger: Pick<DeliveryLedger, "reportWithoutQueue" | "endWithoutQueue">,
  queue: ClaimQueue,
  ports: { clock: Clock; log: Logger },
): QueueWatch {
  const { clock } = ports;
  const id = randomUUID();
  let refusedMs: number | null = null;
  let isOut = false;

  async function isReached(): Promise<boolean> {
    // A queue that refuses jobs may still answer `has`. While jobs are due, the relay offers them
    // more often than this time, so a recent refusal counts.
    if (refusedMs !== null && clock.elapsed() - refusedMs < ttlMs) return false;
    return queue.has(id).then(
      () => true,
      () => false,
    );
  }

  async function end(): Promise<void> {
    if (isOut) await ledger.endWithoutQueue({ id });
    isOut = false;
  }

  const watch = createReporting({
    name: "queue watch",
    stuckAfterMs: null,
    async report() {
      if (await isReached()) return end();
      isOut = true;
      await ledger.reportWithoutQueue({ id, ttlMs });
    },
    end,
    events: { notReported: "queue.watch_failed", notEnded: "queue.watch_not_ended" },
    ...ports,
  });

  async function enqueue(claims: Parameters<ClaimQueue["enqueue"]>[0]): Promise<void> {
    try {
      await queue.enqueue(claims);
      refusedMs = null;
    } catch (error) {
      refusedMs = clock.elapsed();
      throw error;
    }
  }

  return { queue: { enqueue, has: queue.has }, watch };
}
