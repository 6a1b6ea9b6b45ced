import { createAttemptRecorder } from "../../src/dispatcher/attempt-recorder.ts";
import { type Attempted, dispatchClaim } from "../../src/dispatcher/dispatch.ts";
import type { RetrySchedule } from "../../src/domain/retry-schedule.ts";
import { createDelivering } from "../../src/ledger/delivering.ts";
import { relay } from "../../src/outbox/relay.ts";
import { sweep } from "../../src/outbox/sweep.ts";
import { createFakeQueue } from "./fake-queue.ts";
import { createFakeReceivers } from "./fake-receivers.ts";
import { quiet } from "./quiet.ts";
import { faultyLedger, type World } from "./world.ts";

const minute = 60_000;
const schedule: RetrySchedule = [0, minute, minute, 5 * minute, 30 * minute];

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The delivery side of one process or several: relay, queue, dispatchers and the receivers they send to. */
export function createDeliveries(world: World) {
  const { scheduler, profile } = world;
  const random = world.random("deliveries");
  const delivering = createDelivering(world.db, { inFlight: 4, schedule, random: random.next });
  const unlessHealed = (probability: number) => (world.isHealed ? 0 : probability);
  const queue = createFakeQueue({
    scheduler,
    random,
    isFailing: () => random.chance(unlessHealed(profile.queueFails)),
  });
  const receivers = createFakeReceivers({
    random,
    failing: () => unlessHealed(profile.receiverFails),
    gone: () => unlessHealed(profile.receiverGone),
  });
  const dispatchers = [0, 1].map((index) => createDispatcherProcess(index));
  let relaying = bootRelay(0);

  function bootRelay(born: number) {
    const life = scheduler.begin(`relay.${born}`, "delivery");
    const ledger = faultyLedger(world, life, delivering);
    return { life, born, ledger, queue: queue.of(life), isBusy: false };
  }

  async function relayOnce(self: typeof relaying, what: "relay" | "sweep"): Promise<void> {
    self.isBusy = true;
    try {
      const ports = { ledger: self.ledger, queue: self.queue, log: quiet };
      await (what === "relay" ? relay(ports) : sweep(ports));
    } catch (error) {
      world.judge(self.life.name, error);
    }
    self.isBusy = false;
  }

  function createDispatcherProcess(index: number) {
    let born = 0;
    let process = boot();

    function boot() {
      born += 1;
      const life = scheduler.begin(`dispatcher${index}.${born}`, "delivery");
      const ledger = faultyLedger(world, life, delivering);
      const id = `00000000-0000-4000-8000-${String(index * 10_000 + born).padStart(12, "0")}`;
      const recorder = createAttemptRecorder<Attempted>({
        write: async (attempted) => void (await ledger.recordAttempts(attempted)),
        batchSize: 10,
        lingerMs: 1,
        clock: { now: () => Date.now(), sleep: () => scheduler.enter(life, "waits", async () => {}) },
      });
      const tokens = new Set<string>();
      return { life, id, ledger, recorder, tokens };
    }

    async function handle({ life, ledger, recorder, tokens }: typeof process, token: string) {
      tokens.add(token);
      try {
        await dispatchClaim(token, new AbortController().signal, {
          ledger,
          sender: {
            post: (message) => scheduler.enter(life, "post", async () => receivers.post(message)),
          },
          record: recorder.record,
          decrypt: (ciphertext) => ciphertext,
          schedule,
          random: random.next,
          clock: { now: () => Date.now(), sleep: async () => {} },
          log: quiet,
        });
      } catch (error) {
        world.judge(life.name, error);
      }
      tokens.delete(token);
      queue.finish(token);
    }

    return {
      holds: (token: string) => process.tokens.has(token),
      beat(): void {
        const { id, ledger, life } = process;
        ledger
          .reportDispatcher({ id, slots: 12 })
          .catch((error: unknown) => world.judge(life.name, error));
      },
      take(): boolean {
        const token = queue.take();
        if (token !== null) void handle(process, token);
        return token !== null;
      },
      die(): void {
        scheduler.end(process.life);
        process = boot();
      },
    };
  }

  return {
    receivers,
    beat(): void {
      for (const dispatcher of dispatchers) dispatcher.beat();
    },
    relay(): void {
      if (!relaying.isBusy) void relayOnce(relaying, "relay");
    },
    sweep(): void {
      if (!relaying.isBusy) void relayOnce(relaying, "sweep");
    },
    take: (): boolean => random.pick(dispatchers).take(),
    loseQueue: () => queue.empty(),
    killDispatcher: () => random.pick(dispatchers).die(),
    killRelay(): void {
      scheduler.end(relaying.life);
      relaying = bootRelay(relaying.born + 1);
    },

    /** Lets time pass for whatever the delivery side waits for: the database's clock is the only one it goes by. */
    async passTime(ms: number): Promise<void> {
      scheduler.note(`${ms / 1000} s pass`);
      const interval = [ms];
      await world.sql(
        `UPDATE delivery SET due_at = due_at - $1 * interval '1 ms', begun_at = begun_at - $1 * interval '1 ms',
           claim_expires_at = claim_expires_at - $1 * interval '1 ms' WHERE status = 'waiting'`,
        interval,
      );
      await world.sql(
        `UPDATE webhook SET failing_since = failing_since - $1 * interval '1 ms',
           last_success_at = last_success_at - $1 * interval '1 ms', overlap_ends_at = overlap_ends_at - $1 * interval '1 ms'`,
        interval,
      );
      await world.sql("UPDATE dispatcher SET seen_at = seen_at - $1 * interval '1 ms'", interval);
      if (ms >= 30_000)
        queue.dropStalled((token) => dispatchers.some((dispatcher) => dispatcher.holds(token)));
    },
  };
}
