import type { DeliveryQueue } from "../../../src/queue/delivery-queue.ts";

/** A consumer that keeps the tokens it was handed, and is not started yet. */
export function collectFrom(queue: DeliveryQueue, stopWithinMs = 5_000) {
  const handled: string[] = [];
  const consumer = queue.createConsumer({
    concurrency: 10,
    stopWithinMs,
    stalledAfterMs: 30_000,
    onError: () => {},
    handle: async ({ token }) => void handled.push(token),
  });
  return { consumer, handled };
}
