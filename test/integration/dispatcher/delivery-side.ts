import { createDispatcher } from "../../../src/dispatcher/dispatcher.ts";
import type { DeliveryLedger } from "../../../src/domain/delivery/delivery-ledger.ts";
import type { RetrySchedule } from "../../../src/domain/delivery/retry-schedule.ts";
import { noSpans } from "../../../src/domain/spans.ts";
import { decryptSecret } from "../../../src/domain/webhook/secret.ts";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { listenForOutbox } from "../../../src/ledger/notifications/outbox-signal.ts";
import { createOutbox, nothingReserved } from "../../../src/outbox/outbox.ts";
import { openDeliveryQueue, type QueueBackend } from "../../../src/queue/delivery-queue.ts";
import { type Clock, systemClock } from "../../../src/runtime/clock.ts";
import type { Logger } from "../../../src/runtime/logger.ts";
import { createResolveHost } from "../../../src/webhook/resolve-host.ts";
import { createSender } from "../../../src/webhook/sender.ts";
import { quiet } from "../../support/quiet.ts";
import { keyring, type Seeded } from "../ledger/deliveries/seed.ts";

export type DeliverySide = Awaited<ReturnType<typeof startDeliverySide>>;

export type DeliverySideOptions = {
  ledger: Seeded;
  backend: QueueBackend;
  schedule?: RetrySchedule;
  slots?: number;
  sendTimeoutMs?: number;
  stopWithinMs?: number;
  /** Without it the ledger's signal alone wakes the relay. */
  pollMs?: number;
  /** Every claim goes through the queue, as where the relay is a process of its own. */
  isQueued?: boolean;
  log?: Logger;
  /** The dispatcher's. */
  clock?: Clock;
  /** Called once deliveries have begun, before they are sent. */
  onBegun?: () => Promise<void>;
};

/** Relay, queue, dispatcher and sender on one database, as one process has them. */
export async function startDeliverySide(options: DeliverySideOptions) {
  const { ledger, backend } = options;
  const schedule = options.schedule ?? [0, 20, 20, 20];
  const log = options.log ?? quiet;
  const { onBegun = async () => {} } = options;
  const asked = createDeliveryLedger(ledger.db, {
    inFlight: 10,
    schedule,
    random: Math.random,
  });
  const delivering: DeliveryLedger = {
    ...asked,
    async beginClaims(claims) {
      const begun = await asked.beginClaims(claims);
      if (begun.length > 0) await onBegun();
      return begun;
    },
    async claimDeliveries(direct) {
      const claims = await asked.claimDeliveries(direct);
      if (claims.some(({ begun }) => begun !== null)) await onBegun();
      return claims;
    },
  };
  const queue = openDeliveryQueue({ backend, onError: () => {} });
  const sender = createSender({
    policy: { ports: [], deny: [], allow: [], isLoopbackOpen: true },
    timeoutMs: options.sendTimeoutMs ?? 10_000,
    userAgent: "Chainbell/test",
    extraCa: null,
    proxyUrl: null,
    resolve: createResolveHost(),
    clock: systemClock,
  });
  const dispatcher = createDispatcher({
    ledger: delivering,
    sender,
    decrypt: (stored, businessId) => decryptSecret(keyring, stored, businessId),
    schedule,
    random: Math.random,
    clock: options.clock ?? systemClock,
    log,
    spans: noSpans,
    createConsumer: queue.createConsumer,
    slots: options.slots ?? 50,
    onRecorded: () => outbox.wake(),
    heartbeatMs: 200,
    stopWithinMs: options.stopWithinMs ?? 10_000,
  });
  const outbox = createOutbox({
    ledger: delivering,
    queue,
    reserve: options.isQueued ? nothingReserved : dispatcher.reserve,
    clock: systemClock,
    log,
    pollMs: options.pollMs ?? 50,
    sweepEveryMs: 100,
  });
  const signal = listenForOutbox({
    databaseUrl: ledger.url,
    onSignal: outbox.wake,
    onPooled: () => {},
    onError: () => {},
    clock: systemClock,
  });
  const services = [dispatcher, outbox, signal];
  for (const service of services) await service.start();
  let stopping: Promise<void> | null = null;

  async function stop(): Promise<void> {
    for (const service of services.toReversed()) await service.stop();
    await queue.close();
    await sender.close();
  }

  return {
    outbox,
    dispatcher,
    queue,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}
