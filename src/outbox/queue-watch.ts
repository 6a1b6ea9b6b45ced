import { randomUUID } from "node:crypto";
import type { ClaimQueue } from "../domain/delivery/claim-queue.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { createReporting, everyMs } from "./reporting.ts";

/** Longer than two looks, each of which may wait for as long as the queue takes to answer. */
const ttlMs = 6 * everyMs;

type QueueWatch = {
  /** For the relay: what it is answered is noted. */
  queue: ClaimQueue;
  watch: Service;
};

/**
 * Says in the ledger while this relay cannot reach the queue, for the alerts: asks the queue every
 * few seconds, and notes what the relay itself is answered. Never unhealthy: the relay is, once
 * something is due that cannot begin at once.
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
    // A queue that takes no jobs may still answer. While jobs are due that cannot begin at once,
    // they are offered more often than this.
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
    stuckAfterMs: Number.POSITIVE_INFINITY,
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

  return { queue: { enqueue, has: queue.has }, watch: { ...watch, trouble: () => null } };
}
