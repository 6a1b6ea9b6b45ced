import type { WatchLease } from "../../src/watcher/lease.ts";
import type { Random } from "./random.ts";
import type { Life, Scheduler } from "./scheduler.ts";

/** A lease that is wrong now and then, both ways: correctness must not rest on it. */
export function createFakeLeases(options: {
  scheduler: Scheduler;
  random: Random;
  wrong: () => number;
}) {
  const { scheduler, random, wrong } = options;
  let holder: Life | null = null;
  return (life: Life): WatchLease => {
    const take = () =>
      scheduler.enter(life, "lease", async () => {
        if (holder === null || holder.isOver) holder = life;
        return random.chance(wrong()) ? random.chance(0.5) : holder === life;
      });
    return {
      take,
      keep: take,
      async release() {
        if (holder === life) holder = null;
      },
    };
  };
}
