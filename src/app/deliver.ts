import { createDispatcher, type Dispatcher } from "../dispatcher/dispatcher.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import { createDeliveryLedger } from "../ledger/delivery-ledger.ts";
import { signalOutbox } from "../ledger/notifications/outbox-signal.ts";
import type { Database } from "../ledger/postgres/database.ts";
import { watchDatabaseClock } from "../outbox/clock-watch.ts";
import { createHeartbeat } from "../outbox/heartbeat.ts";
import { createOutbox, nothingReserved } from "../outbox/outbox.ts";
import { createPruner } from "../outbox/pruner.ts";
import { watchQueue } from "../outbox/queue-watch.ts";
import { createReassigner } from "../outbox/reassigner.ts";
import type { DeliveryQueue } from "../queue/delivery-queue.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { closing, type Service } from "../runtime/service.ts";
import { decryptOf, type MeasuredBase, openSender } from "./base.ts";
import { openQueue } from "./open-queue.ts";

const seconds = 1_000;

/** The daemon has 20 s to end. A request under way may use all of its time within this limit. */
const stopWithinMs = 16 * seconds;

type Delivering = {
  parts: Service[];
  /** Tells the relay that there is something to deliver. */
  wake: () => void;
  /** Tells the reassigner that there are deliveries to queue again. */
  wakeReassigner: () => void;
};

/**
 * Sends the ledger's deliveries to the businesses. Runs the queue, and the relay and the dispatcher
 * if the roles include them, each with its own connections. `wake` starts this process's relay at
 * once. The database notifies relays of other processes some milliseconds later (hear-notified.ts).
 */
export function deliver(
  base: MeasuredBase,
  pools: { relay: Database; dispatcher: Database },
): Delivering {
  const { config, log } = base;
  const ledgerOn = (db: Database) =>
    createDeliveryLedger(db, {
      inFlight: config.webhooks.inFlight,
      schedule: config.webhooks.scheduleMs,
      random: Math.random,
    });
  const ledger = ledgerOn(pools.relay);
  const queue = openQueue(base, (error) => log.warn({ error }, "queue.error"));
  const parts: Service[] = [{ ...closing("queue", queue.close), start: queue.check }];
  const signal = () =>
    signalOutbox(pools.dispatcher).catch((error: unknown) =>
      log.debug({ error }, "outbox.not_signalled"),
    );
  const watched = watchQueue(ledger, queue, { clock, log });
  const pace = { pollMs: seconds, sweepEveryMs: 2 * seconds };
  const dispatching = config.roles.has("dispatcher")
    ? send(base, {
        ledger: ledgerOn(pools.dispatcher),
        queue,
        onRecorded: () => (outbox === null ? signal() : outbox.wake()),
      })
    : null;
  const reserve = dispatching?.dispatcher.reserve ?? nothingReserved;
  const outbox = config.roles.has("relay")
    ? createOutbox({ ledger, queue: watched.queue, reserve, clock, log, ...pace })
    : null;
  // The relay stops before the dispatcher, which still sends what the relay reserved slots for.
  if (dispatching !== null) parts.push(...dispatching.parts);
  const reassigner = createReassigner({ ledger, clock, log });
  if (outbox !== null) {
    parts.push(
      outbox,
      watched.watch,
      createHeartbeat({ ledger, clock, log }),
      watchDatabaseClock({ ledger, clock, log }),
      reassigner,
    );
    parts.push(createPruner({ ledger, clock, log }, config.retention));
  }
  return { parts, wake: () => outbox?.wake(), wakeReassigner: reassigner.wake };
}

function send(
  base: MeasuredBase,
  to: { ledger: DeliveryLedger; queue: DeliveryQueue; onRecorded: () => void },
): { parts: Service[]; dispatcher: Dispatcher } {
  const { config, log } = base;
  const sender = openSender(base);
  const dispatcher = createDispatcher({
    ledger: to.ledger,
    sender,
    createConsumer: to.queue.createConsumer,
    decrypt: decryptOf(base),
    schedule: config.webhooks.scheduleMs,
    random: Math.random,
    clock,
    log,
    spans: base.spans,
    slots: config.webhooks.concurrency,
    onRecorded: to.onRecorded,
    heartbeatMs: 5 * seconds,
    stopWithinMs,
  });
  return { parts: [closing("sender", sender.close), dispatcher], dispatcher };
}
