import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Attempt, Judged } from "../domain/delivery/attempt.ts";
import type { ClaimedDelivery, Reserved } from "../domain/delivery/claim.ts";
import type { ClaimConsumerOptions } from "../domain/delivery/claim-queue.ts";
import { hangingShare, slotHeldMs } from "../domain/delivery/delivery.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import { type AttemptRecorder, createAttemptRecorder } from "./attempt-recorder.ts";
import { type Claims, createClaims } from "./claims.ts";
import { type DispatchPorts, dispatchClaim } from "./dispatch.ts";
import { createGroup } from "./group.ts";
import { createSlots } from "./slots.ts";

type DispatcherLedger = Pick<
  DeliveryLedger,
  | "beginClaims"
  | "giveBackClaim"
  | "recordAttempts"
  | "judgeWebhooks"
  | "reportDispatcher"
  | "removeDispatcher"
>;

/** The dispatcher as a service, and its way past the queue. */
export type Dispatcher = Service & {
  /**
   * Takes free slots for deliveries that begin in the same transaction as their claim. The relay of
   * the same process calls this before each claim, and stops before the dispatcher does.
   */
  reserve: () => Reserved<ClaimedDelivery>;
};

export type DispatcherOptions = Omit<DispatchPorts, "record"> & {
  ledger: DispatcherLedger;
  createConsumer: (options: ClaimConsumerOptions) => Service;
  /**
   * The most sends under way at once. The relay decides by this number how much to claim for this
   * dispatcher.
   */
  slots: number;
  /**
   * Called when slots may have become free: after each record, and when the ledger first knows this
   * dispatcher.
   */
  onRecorded: () => void;
  heartbeatMs: number;
  stopWithinMs: number;
};

/** The most records in one transaction, and how long a record waits for others, in ms. */
const batchSize = 200;
const lingerMs = 5;
/**
 * While at least this share of the slots is in use, claims wait for others before they begin. One
 * batch costs about as much as forty sends in it.
 */
const busyShare = 1 / 4;
const beginLingerMs = 3;
/**
 * The claims that wait in the dispatcher for slots, as a share of the slots. They begin together,
 * in one round trip. If many businesses each get one delivery at a time, more waiting claims make
 * larger batches.
 */
const waitingShare = 1 / 4;
const fewestWaiting = 2;
/**
 * Deliveries that begin before there are slots for them, as a share of the slots. Without them,
 * 200 slots with receivers at 100 ms did 1,700 a second in place of 1,900.
 */
const aheadShare = 1 / 5;
/**
 * Deliveries begin with their claim while at most this share of the slots, or one slot, is in use.
 * Above that they go through the queue, so that every dispatcher takes its part.
 */
const directShare = 1 / 8;
/** The time to wait for aborted work to end. */
const graceMs = 1_000;
/** A worker whose event loop was blocked for longer than this has lost its claims anyway. */
const stalledAfterMs = 30_000;
const stuckAfterMs = 20_000;

/**
 * The dispatcher as a service: sends the claims of the queue to the businesses. While it runs, its
 * row in the ledger tells the relay how much to claim. Stopping deletes that row, and waits up to
 * `stopWithinMs` for running claims. The leases of the others then expire.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { ledger, clock, log, slots, heartbeatMs, stopWithinMs } = options;
  const id = randomUUID();
  const aborting = new AbortController();
  // Every send adds a listener.
  setMaxListeners(0, aborting.signal);
  const recorder = openRecorder(options);
  const claims = openClaims(options, { recorder, signal: aborting.signal });
  const consumer = options.createConsumer({
    concurrency: Math.max(fewestWaiting, Math.ceil(slots * waitingShare)),
    // A job is done when its claim has begun. After that the lease guards the claim, not the queue.
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
  const slots = createSlots({ count, slotHeldMs, hangingShare, aheadShare, clock });
  return createClaims<ClaimedDelivery>({
    slots,
    clock,
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

  function report({ disabled, circuits }: Judged): void {
    for (const webhook of disabled) log.warn(webhook, "webhook.disabled");
    for (const { webhookId, circuit } of circuits)
      log.warn(
        { webhookId },
        circuit === "open" ? "webhook.circuit_opened" : "webhook.circuit_closed",
      );
  }

  // Aside, so that no record waits for a webhook that a business changes.
  const judging = createGroup<Attempt>(async (unjudged) => {
    const judged = ledger.judgeWebhooks(unjudged.splice(0));
    await judged.then(report, (error) => log.warn({ error }, "webhook.not_judged"));
  });

  const recorder = createAttemptRecorder({
    async write(records: Attempt[], areRepeated) {
      const recorded = await ledger.recordAttempts(records, areRepeated);
      const { movedDeliveryIds, repeated, unjudged } = recorded;
      const lost = records.length - repeated - movedDeliveryIds.length;
      if (lost > 0) log.warn({ deliveries: lost }, "claim.lost_while_sending");
      report(recorded);
      for (const attempt of unjudged) judging.add(attempt);
      onRecorded();
    },
    batchSize,
    lingerMs,
    clock,
  });
  return {
    record: recorder.record,
    async stop() {
      await recorder.stop();
      await judging.settled();
    },
  };
}
