import { createDispatcher, type Dispatcher } from "../../../src/dispatcher/dispatcher.ts";
import type { ClaimedDelivery } from "../../../src/domain/delivery/claim.ts";
import type { RetrySchedule } from "../../../src/domain/delivery/retry-schedule.ts";
import { noSpans } from "../../../src/domain/spans.ts";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { createOutbox, nothingReserved } from "../../../src/outbox/outbox.ts";
import type { Logger } from "../../../src/runtime/logger.ts";
import type { Service } from "../../../src/runtime/service.ts";
import type { Life } from "../scheduler.ts";
import { faultyLedger, type World } from "../world.ts";
import { createFakeQueue } from "./fake-queue.ts";
import { createFakeReceivers, type FakeReceivers } from "./fake-receivers.ts";

const minute = 60_000;
const usualSchedule: RetrySchedule = [0, minute, minute, 5 * minute, 30 * minute];
/** So short that much is given up within a run. */
const shortSchedule: RetrySchedule = [0, 5_000, 20_000];
const scheduleOf = ({ ways }: World) => (ways === null ? usualSchedule : shortSchedule);

/** As in parts/delivering.ts, but few slots and few in flight, so that they are fought for. */
const inFlight = 4;
const slots = 12;
const timing = { pollMs: 1_000, sweepEveryMs: 2_000, heartbeatMs: 5_000, stopWithinMs: 16_000 };

/** The delivery side: relays, queue, dispatchers and the receivers they send to. */
export function createDeliveries(world: World) {
  const { scheduler, profile } = world;
  const random = world.random("deliveries");
  const unlessHealed = (probability: number) => (world.isHealed ? 0 : probability);
  const queue = createFakeQueue({
    scheduler,
    random,
    isFailing: () => random.chance(unlessHealed(profile.queueFails)),
  });
  const receivers = createFakeReceivers({
    now: scheduler.now,
    random: world.random("receivers"),
    failing: (url) => unlessHealed(world.ways?.fails(url) ?? profile.receiverFails),
    gone: () => unlessHealed(profile.receiverGone),
    fail: world.fail,
  });
  const ledgerOf = (life: Life) => faultyLedger(world, life, watched(world, life, receivers));

  function bootRelay(life: Life, reserve = nothingReserved): void {
    const outbox = createOutbox({
      ledger: ledgerOf(life),
      queue: queue.of(life),
      reserve,
      clock: scheduler.clockOf(life),

      log: judging(world, life),
      ...timing,
    });
    void outbox.start();
  }

  function bootDispatcher(life: Life): Dispatcher {
    const dispatcher = createDispatcher({
      ledger: ledgerOf(life),
      sender: {
        post: (message) =>
          scheduler.enter(life, `posts ${message.notificationId}`, async () => {
            world.ways?.hears(message);
            return receivers.post(message);
          }),
      },
      createConsumer: (options): Service => queue.consumerOf(life, options),
      decrypt: (ciphertext) => ciphertext,

      schedule: scheduleOf(world),
      slots,
      ...timing,
      random: random.next,
      clock: scheduler.clockOf(life),
      log: judging(world, life),
      spans: noSpans,
      onRecorded() {},
    });
    void dispatcher.start();
    return dispatcher;
  }

  /** As a daemon with every role: what begins with its claim is sent by the same process. */
  const whole = mortal(world, "whole", (life) => bootRelay(life, bootDispatcher(life).reserve));
  const relay = mortal(world, "relay", bootRelay);
  const dispatcher = mortal(world, "dispatcher", (life) => void bootDispatcher(life));
  return {
    receivers,
    loseQueue: () => queue.empty(),
    killRelay: () => random.pick([whole, relay]).die(),
    killDispatcher: () => random.pick([whole, dispatcher]).die(),
    killAll(): void {
      for (const one of [whole, relay, dispatcher]) one.die();
    },
  };
}

/** The ledger's side of the deliveries, with a note of what is sent and recorded. */
function watched(world: World, life: Life, receivers: FakeReceivers) {
  const { random } = world;
  const options = {
    inFlight,
    schedule: scheduleOf(world),
    random: random(`${life.name} jitter`).next,
  };
  const delivering = createDeliveryLedger(world.db, options);
  const sent = new Map<string, string>();

  async function noteBegun(sends: ClaimedDelivery[]): Promise<void> {
    await world.ways?.begun(sends);
    for (const send of sends) {
      receivers.begin(life, send);
      sent.set(send.deliveryId, send.notificationId);
    }
    sends.sort((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  }

  return {
    ...delivering,
    // In which order PostgreSQL returns rows that are alike is its own affair, here and below.
    claimDeliveries: async (direct: number) => {
      const claims = (await delivering.claimDeliveries(direct)).sort(byToken);
      world.ways?.claimed(claims.map(({ token }) => token));
      for (const { begun } of claims) if (begun !== null) await noteBegun(begun);
      return claims;
    },
    listUnbegunClaims: async () => (await delivering.listUnbegunClaims()).sort(byToken),
    beginClaims: async (claims: { tokens: string[] }) => {
      const sends = await delivering.beginClaims(claims);
      await noteBegun(sends);
      return sends;
    },
    recordAttempts: async (...input: Parameters<typeof delivering.recordAttempts>) => {
      const [attempted] = input;
      const recorded = await delivering.recordAttempts(...input);
      const moved = new Set(recorded.movedDeliveryIds);
      for (const send of attempted) {
        const { deliveryId, webhookId, outcome, next } = send;
        const isAccepted = outcome === "accepted";
        const isGivenUp = !isAccepted && next.kind === "exhausted";
        if (moved.has(deliveryId))
          world.ways?.recorded(
            { deliveryId, webhookId, isAccepted, isGivenUp },
            sent.get(deliveryId) ?? "",
          );
        // Sent under two claims, the first of them lost: which one moved it is not recorded.
        const isAlone = attempted.every(
          (one) => one === send || one.deliveryId !== send.deliveryId,
        );
        if (moved.has(send.deliveryId)) receivers.end(send, isAlone && send.outcome === "accepted");
      }
      return recorded;
    },
  };
}

function byToken(a: { token: string }, b: { token: string }): number {
  return a.token < b.token ? -1 : 1;
}

/** A process that is killed now and then, and lives again. */
function mortal(world: World, name: string, boot: (life: Life) => void) {
  let born = 0;
  const next = () => {
    born += 1;
    const life = world.scheduler.begin(`${name}.${born}`);
    boot(life);
    return life;
  };
  let life = next();
  return {
    die() {
      world.scheduler.end(life);
      life = next();
    },
  };
}

function judging(world: World, life: Life): Logger {
  const hear = (fields: object) => {
    if ("error" in fields) world.judge(life.name, fields.error);
  };
  return { debug() {}, info: hear, warn: hear, error: hear };
}
