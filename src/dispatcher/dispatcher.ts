import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Attempt } from "../domain/delivery/attempt.ts";
import type { ClaimedDelivery, Reserved } from "../domain/delivery/claim.ts";
import type { ClaimConsumerOptions } from "../domain/delivery/claim-queue.ts";
import { hangingShare, slotHeldMs } from "../domain/delivery/delivery.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import { type AttemptRecorder, createAttemptRecorder } from "./attempt-recorder.ts";
import { type Claims, createClaims } from "./claims.ts";
import { type DispatchPorts, dispatchClaim } from "./dispatch.ts";
import { createSlots } from "./slots.ts";

type DispatcherLedger = Pick<
  DeliveryLedger,
  "beginClaims" | "giveBackClaim" | "recordAttempts" | "reportDispatcher" | "removeDispatcher"
>;

/** The dispatcher as a service, and its way past the queue. */
export type Dispatcher = Service & {
  /**
   * Takes slots for deliveries that begin with their claim, as many as are free for that now. The
   * relay of the same process asks for them before each claim, and stops before the dispatcher.
   */
  reserve: () => Reserved<ClaimedDelivery>;
};

export type DispatcherOptions = Omit<DispatchPorts, "record"> & {
  ledger: DispatcherLedger;
  createConsumer: (options: ClaimConsumerOptions) => Service;
  /** Sends under way at once; by them the relay measures what it claims for this dispatcher. */
  slots: number;
  /**
   * Called when slots have become free: after each record, and when the ledger first knows of this
   * dispatcher.
   */
  onRecorded: () => void;
  heartbeatMs: number;
  stopWithinMs: number;
};

/** Records in one transaction at most, and how long a record waits for company. */
const batchSize = 200;
const lingerMs = 5;
/**
 * A begin waits for company, too, while at least this share of the slots is in use. The cost of a
 * batch is that of about forty sends in it.
 */
const busyShare = 1 / 4;
const beginLingerMs = 3;
/**
 * Claims that a dispatcher takes from the queue before it has room for them, as a share of the
 * slots. They begin together, in one round trip. Where many businesses are each sent one at a time,
 * everything else would wait for a few claims at once.
 */
const waitingShare = 1 / 4;
const fewestWaiting = 2;
/**
 * Deliveries begin with their claim while at most this share of the slots is in use, or one slot.
 * Beyond it they go through the queue, where every dispatcher takes its part of them.
 */
const directShare = 1 / 8;
/** For what was aborted to end. */
const graceMs = 1_000;
/** A worker whose event loop is blocked for longer than this has lost its claims anyway. */
const stalledAfterMs = 30_000;
const stuckAfterMs = 20_000;

/**
 * The dispatcher as a service: from the queue to the businesses. While it runs, its row in the
 * ledger shows the relay how much to admit. Stopping takes the row away, lets running claims finish
 * within `stopWithinMs`, and leaves the others to their leases.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { ledger, clock, log, slots, heartbeatMs, stopWithinMs } = options;
  const id = randomUUID();
  const aborting = new AbortController();
  // Every send listens to it.
  setMaxListeners(0, aborting.signal);
  const recorder = openRecorder(options);
  const claims = openClaims(options, { recorder, signal: aborting.signal });
  const consumer = options.createConsumer({
    concurrency: Math.max(fewestWaiting, Math.ceil(slots * waitingShare)),
    // A job is over when its claim has begun: from there on the lease guards it, not the queue.
    handle: claims.handle,
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
    const patience = new AbortController();
    const isOver = Promise.all([consumer.stop(), claims.stop()]).finally(() => patience.abort());
    await Promise.race([isOver, clock.sleep(stopWithinMs, patience.signal)]);
    aborting.abort();
    await Promise.race([isOver, clock.sleep(graceMs, patience.signal)]);
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
    reserve: () => claims.reserve(Math.ceil(slots * directShare)),
    trouble: () => consumer.trouble() ?? heartbeat.trouble(),
  };
}

function openClaims(
  options: DispatcherOptions,
  sending: { recorder: AttemptRecorder<Attempt>; signal: AbortSignal },
): Claims<ClaimedDelivery> {
  const { ledger, clock, log, slots: count } = options;
  const { recorder, signal } = sending;
  const ports: DispatchPorts = { ...options, record: recorder.record };
  const slots = createSlots({ count, slotHeldMs, hangingShare, clock });
  return createClaims<ClaimedDelivery>({
    slots,
    begin: (tokens) => ledger.beginClaims({ tokens }),
    async giveBack(tokens) {
      const deliveries = await ledger.giveBackClaim({ tokens });
      log.info({ claims: tokens, deliveries }, "claims.not_begun");
    },
    sendAll: (begun) => dispatchClaim(begun, ports, signal),
    onError: (error) => log.error({ error }, "claim.failed"),
    async gather() {
      if (slots.taken() >= count * busyShare) await clock.sleep(beginLingerMs, signal);
    },
  });
}

function openRecorder(options: DispatcherOptions): AttemptRecorder<Attempt> {
  const { ledger, clock, log, onRecorded } = options;
  return createAttemptRecorder({
    async write(records: Attempt[]) {
      const { movedDeliveryIds, disabled, circuits } = await ledger.recordAttempts(records);
      const lost = records.length - movedDeliveryIds.length;
      if (lost > 0) log.warn({ deliveries: lost }, "claim.lost_while_sending");
      for (const webhook of disabled) log.warn(webhook, "webhook.disabled");
      for (const { webhookId, circuit } of circuits)
        log.warn(
          { webhookId },
          circuit === "open" ? "webhook.circuit_opened" : "webhook.circuit_closed",
        );
      onRecorded();
    },
    batchSize,
    lingerMs,
    clock,
  });
}
