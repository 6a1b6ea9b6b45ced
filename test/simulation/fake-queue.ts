import { Fault } from "../../src/domain/fault.ts";
import type { Random } from "./random.ts";
import type { Life, Scheduler } from "./scheduler.ts";

export type FakeQueue = ReturnType<typeof createFakeQueue>;

/** A queue that may be emptied at any instant, that may be out of reach, and that may have taken what it said it did not. */
export function createFakeQueue(options: {
  scheduler: Scheduler;
  random: Random;
  isFailing: () => boolean;
}) {
  const { scheduler, random, isFailing } = options;
  const jobs = new Map<string, "waiting" | "taken">();

  function unavailable(): Fault {
    return new Fault("queue_unavailable", "The queue is out of reach.");
  }

  return {
    /** As one process sees it. */
    of: (life: Life) => ({
      enqueue: (tokens: string[]) =>
        scheduler.enter(life, "enqueue", async () => {
          const isLost = isFailing();
          const taken = isLost ? tokens.filter(() => random.chance(0.5)) : tokens;
          for (const token of taken) if (!jobs.has(token)) jobs.set(token, "waiting");
          if (isLost) throw unavailable();
        }),
      has: (token: string) =>
        scheduler.enter(life, "has", async () => {
          if (isFailing()) throw unavailable();
          return jobs.has(token);
        }),
    }),

    /** A job for a worker, or null. */
    take(): string | null {
      const waiting = [...jobs].filter(([, state]) => state === "waiting");
      const [token] = waiting.length === 0 ? [null] : random.pick(waiting);
      if (token !== null) jobs.set(token, "taken");
      return token;
    },

    finish: (token: string) => jobs.delete(token),
    empty: () => jobs.clear(),

    /** Jobs whose worker is silent are dropped, not run again. */
    dropStalled(isAlive: (token: string) => boolean): void {
      for (const [token, state] of jobs)
        if (state === "taken" && !isAlive(token)) jobs.delete(token);
    },
  };
}
