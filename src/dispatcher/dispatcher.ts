import { randomUUID } from "node:crypto";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import { type AttemptRecorder, createAttemptRecorder } from "./attempt-recorder.ts";
import { type Attempted, type DispatchPorts, dispatchClaim } from "./dispatch.ts";

type DispatcherLedger = DispatchPorts["ledger"] & {
  recordAttempts: (attempted: Attempted[]) => Promise<{
    movedDeliveryIds: string[];
    disabled: { webhookId: string; reason: string }[];
  }>;
  reportDispatcher: (dispatcher: { id: string; slots: number }) => Promise<void>;
  removeDispatcher: (dispatcher: { id: string }) => Promise<void>;
};

export type DispatcherOptions = Omit<DispatchPorts, "ledger" | "record"> & {
  ledger: DispatcherLedger;
  createConsumer: (options: {
    concurrency: number;
    handle: (token: string, signal: AbortSignal) => Promise<void>;
    onError: (error: Error) => void;
    stopWithinMs: number;
    stalledAfterMs: number;
  }) => Service;
  /** Deliveries in flight at once; what the relay may admit for this dispatcher. */
  slots: number;
  /** Called when slots have become free: after each record, and when the ledger first knows of this dispatcher. */
  onRecorded: () => void;
  heartbeatMs: number;
  stopWithinMs: number;
};

/** Records in one transaction at most, and how long a record waits for company. */
const batchSize = 200;
const lingerMs = 2;
/** A worker whose event loop is blocked for longer than this has lost its claims anyway. */
const stalledAfterMs = 30_000;
const stuckAfterMs = 20_000;

/**
 * The dispatcher as a service: from the queue to the businesses. While it runs, its row in the ledger tells the relay
 * how much to admit. Stopping takes the row away, lets running claims finish within `stopWithinMs`, and leaves the
 * others to their leases.
 */
export function createDispatcher(options: DispatcherOptions): Service {
  const { ledger, clock, log, slots, heartbeatMs, stopWithinMs } = options;
  const id = randomUUID();
  const recorder = openRecorder(options);
  const consumer = options.createConsumer({
    // A claim has one delivery at least, so more claims than slots are never admitted.
    concurrency: slots,
    handle: (token, signal) =>
      dispatchClaim(token, signal, { ...options, record: recorder.record }),
    onError: (error) => log.error({ error }, "claim.failed"),
    stopWithinMs,
    stalledAfterMs,
  });
  let isKnown = false;
  const heartbeat = createLoop({
    name: "dispatcher",
    async step() {
      await ledger.reportDispatcher({ id, slots });
      if (!isKnown) options.onRecorded();
      isKnown = true;
      return "idle";
    },
    onError: (error, failures) => log.error({ error, failures }, "dispatcher.heartbeat_failed"),
    clock,
    pollMs: heartbeatMs,
    maxBackoffMs: heartbeatMs,
    stuckAfterMs,
  });
  let stopping: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await heartbeat.stop();
    await ledger
      .removeDispatcher({ id })
      .catch((error: unknown) => log.warn({ error }, "dispatcher.not_removed"));
    await consumer.stop();
    await recorder.stop();
  }

  return {
    name: "dispatcher",
    async start() {
      await consumer.start();
      await heartbeat.start();
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
    trouble: () => consumer.trouble() ?? heartbeat.trouble(),
  };
}

function openRecorder(options: DispatcherOptions): AttemptRecorder<Attempted> {
  const { ledger, clock, log, onRecorded } = options;
  return createAttemptRecorder({
    async write(attempted: Attempted[]) {
      const { movedDeliveryIds, disabled } = await ledger.recordAttempts(attempted);
      const lost = attempted.length - movedDeliveryIds.length;
      if (lost > 0) log.warn({ deliveries: lost }, "claim.lost_while_sending");
      for (const webhook of disabled) log.warn(webhook, "webhook.disabled");
      onRecorded();
    },
    batchSize,
    lingerMs,
    clock,
  });
}
