import { setMaxListeners } from "node:events";
import type { ClaimConsumerOptions } from "../domain/delivery/claim-queue.ts";
import { asError } from "../runtime/as-error.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Service } from "../runtime/service.ts";
import { troubleOf } from "../runtime/trouble.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import type { Handler, JobWorker, Opened, QueueConnection } from "./queue-connection.ts";

/** The pause after a lost connection. */
const retryDelayMs = 1_000;
/** The time that handlers may take to end after their signal, and then connections to close. */
const graceMs = 1_000;

/**
 * Takes claims from the queue. Waits through every outage, even at the start. An outage loses
 * nothing.
 */
export function createDeliveryConsumer(
  connection: QueueConnection,
  options: ClaimConsumerOptions,
): Service {
  const { concurrency, handle, onError, stopWithinMs, stalledAfterMs } = options;
  const stopping = new AbortController();
  const aborting = new AbortController();
  // Every handler may add a listener.
  setMaxListeners(0, aborting.signal);
  let opened: Opened<JobWorker> | null = null;
  let running: Promise<void> | null = null;
  let stopped: Promise<void> | null = null;

  const settings = {
    autorun: false,
    concurrency,
    lockDuration: stalledAfterMs,
    stalledInterval: stalledAfterMs,
    // A job whose worker died is not run again. The claim's lease decides when its deliveries are
    // due.
    maxStalledCount: 0,
    runRetryDelay: retryDelayMs,
  };

  const handleJob: Handler = async (job) => {
    try {
      const { token, deliveries } = job.data;
      // A job of an older version does not have the number of deliveries.
      await handle({ token, deliveries: deliveries ?? 1 }, aborting.signal);
    } catch (error) {
      onError(asError(error));
    }
  };

  /** Replaces a worker that cannot connect, or that ends by itself. */
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      opened = connection.openWorker({ handle: handleJob, settings, onError });
      const worker = opened;
      try {
        await worker.ready();
        await worker.it.run();
      } catch (error) {
        onError(asError(error));
      }
      if (stopping.signal.aborted) return;
      // A silent connection may not close properly either.
      await endsWithin(worker.disconnect(), graceMs);
      await clock.sleep(retryDelayMs, stopping.signal);
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    if (opened === null) return;
    // Waits for the connection first: a worker that is closed while it connects leaves a connection
    // open.
    await endsWithin(opened.ready(), graceMs);
    const closed = opened.it.close().catch(() => {});
    const isInTime = opened.it.isRunning() && (await endsWithin(closed, stopWithinMs));
    if (!isInTime) {
      aborting.abort();
      await endsWithin(closed, graceMs);
    }
    await endsWithin(opened.disconnect(), graceMs);
    await endsWithin(running ?? Promise.resolve(), graceMs);
  }

  return {
    name: "delivery consumer",
    async start() {
      if (!stopping.signal.aborted) running ??= run();
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
    trouble() {
      const isIdle = running === null || stopping.signal.aborted;
      return isIdle || opened?.it.isRunning()
        ? null
        : troubleOf("queue_unavailable", "the queue is out of reach");
    },
  };
}

/** True if the work ends in time, with or without an error. */
async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const ended = await withTimeout(
    work.catch(() => {}),
    { timeoutMs, clock },
  );
  return ended.kind === "done";
}
