import { Fault } from "../../../src/domain/fault.ts";
import type { Service } from "../../../src/runtime/service.ts";
import type { Random } from "../random.ts";
import type { Life, Scheduler } from "../scheduler.ts";

type Claim = { token: string; deliveries: number };

type Job = Claim & { worker: Life | null };

type Consumer = {
  concurrency: number;
  handle: (claim: Claim, signal: AbortSignal) => Promise<void>;
  onError: (error: Error) => void;
};

/**
 * A queue that may be emptied at any instant, that may be out of reach, and that may have taken
 * what it said it did not.
 */
export function createFakeQueue(options: {
  scheduler: Scheduler;
  random: Random;
  isFailing: () => boolean;
}) {
  const { scheduler, random, isFailing } = options;
  let jobs: Job[] = [];
  const workers: { life: Life; options: Consumer; running: number }[] = [];
  const queueItself = scheduler.begin("queue");

  function unavailable(): Fault {
    return new Fault("queue_unavailable", "The queue is out of reach.");
  }

  /** Hands a waiting job to a worker that lives, some time after it came. */
  function announce(): void {
    const deliver = scheduler.enter(queueItself, "hands a job out", async () => {
      // A job whose worker has died is dropped, not run again.
      jobs = jobs.filter((job) => job.worker?.isOver !== true);
      const open = workers.filter(
        (one) => !one.life.isOver && one.running < one.options.concurrency,
      );
      const waiting = jobs.filter((job) => job.worker === null);
      if (open.length === 0 || waiting.length === 0) return;
      const job = random.pick(waiting);
      const worker = random.pick(open);
      job.worker = worker.life;
      void work(worker, job);
    });
    deliver.catch(() => {});
  }

  async function work(worker: (typeof workers)[number], job: Job): Promise<void> {
    worker.running += 1;
    try {
      await worker.options.handle(job, new AbortController().signal);
    } catch (error) {
      worker.options.onError(error instanceof Error ? error : new Error(String(error)));
    }
    worker.running -= 1;
    jobs = jobs.filter((one) => one !== job);
    announce();
  }

  return {
    /** As one process sees it. */
    of: (life: Life) => ({
      enqueue: (claims: Claim[]) =>
        scheduler.enter(life, `enqueues ${claims.length}`, async () => {
          const isLost = isFailing();
          const taken = isLost ? claims.filter(() => random.chance(0.5)) : claims;
          for (const claim of taken) {
            if (jobs.some((job) => job.token === claim.token)) continue;
            jobs.push({ ...claim, worker: null });
            announce();
          }
          if (isLost) throw unavailable();
        }),
      has: (token: string) =>
        scheduler.enter(life, "looks for a job", async () => {
          if (isFailing()) throw unavailable();
          // Whoever looks also finds what nobody was free to take, or whose taker has died.
          announce();
          return jobs.some((job) => job.token === token);
        }),
    }),

    consumerOf: (life: Life, options: Consumer): Service => ({
      name: "queue",
      async start() {
        workers.push({ life, options, running: 0 });
      },
      async stop() {},
      trouble: () => null,
    }),

    empty(): void {
      scheduler.note("the queue is emptied");
      jobs = [];
    },
  };
}
