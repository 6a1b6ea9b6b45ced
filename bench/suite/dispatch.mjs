// How many notifications a second reach their businesses, beside a loop that signs and posts them and stores nothing.
import { fork } from "node:child_process";
import { alternate } from "../alternate.mjs";
import { openBell, postLoop } from "../support/bell.mjs";
import { openReceivers } from "../support/receivers.mjs";
import { openWorld } from "../world.mjs";

/** Deliveries in flight of one dispatcher; see src/app/deliver.ts. */
const concurrency = 200;
const goals = { redis: { 0: 0.4, 100: 0.9 }, postgres: { 0: 0.25, 100: 0.9 } };

export async function run({ quick, say }) {
  const load = quick
    ? { businesses: 20, each: 10, warmUp: 2, rounds: 1 }
    : { businesses: 100, each: 200, warmUp: 20, rounds: 3 };
  const world = await openWorld();
  try {
    const lines = [];
    for (const answerAfterMs of [0, 100]) {
      say(`receivers that answer in ${answerAfterMs} ms`);
      lines.push(...(await measure(world, { ...load, answerAfterMs, say })));
    }
    return lines;
  } finally {
    await world.end();
  }
}

async function measure(world, load) {
  const { answerAfterMs, each, warmUp, rounds, say } = load;
  const receivers = await openReceivers({ count: load.businesses, answerAfterMs });
  const loop = fork(new URL("../support/post-loop.mjs", import.meta.url));
  const bells = {};
  try {
    for (const queue of ["redis", "postgres"]) {
      const { urls, ports } = receivers;
      const name = `${queue}_${answerAfterMs}`;
      bells[queue] = await openBell(world, { name, queue, urls, ports });
      await bells[queue].start("relay,dispatcher");
    }
    const { businesses } = bells.redis;
    const contenders = (count) => ({
      loop: () => postLoop(loop, receivers, { businesses, count, concurrency }),
      redis: () => bells.redis.notify(receivers, count),
      postgres: () => bells.postgres.notify(receivers, count),
    });
    // Connections, plans, compiled code: a daemon has been running for longer than a second.
    for (const warm of Object.values(contenders(warmUp))) await warm();
    return toLines(await alternate(rounds, contenders(each), say), load);
  } finally {
    await Promise.all(Object.values(bells).map((bell) => bell.close()));
    loop.kill();
    receivers.end();
  }
}

function toLines(figures, { answerAfterMs, businesses, each }) {
  const total = (businesses * each).toLocaleString("en");
  return ["redis", "postgres"].map((queue) => ({
    name: `${queue}, receivers at ${answerAfterMs} ms`,
    unit: "per s",
    ours: figures[queue],
    baseline: figures.loop,
    peer: null,
    ratio: figures[queue] / figures.loop,
    goal: { atLeast: goals[queue][answerAfterMs] },
    conditions: `${total} notifications, ${businesses} businesses, ${concurrency} in flight`,
  }));
}
