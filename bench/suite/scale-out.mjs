// How the rate grows with dispatcher processes, where what bounds a process is how many it sends at once.
import { alternate } from "../alternate.mjs";
import { openBell } from "../support/bell.mjs";
import { openReceivers } from "../support/receivers.mjs";
import { openWorld } from "../world.mjs";

const answerAfterMs = 100;
/** Few for each process, so that four of them ask for less than two cores have. */
const concurrency = 40;
/** To make each process busy for a quarter of a minute: how the slots fill and empty is no longer what is measured. */
const perProcess = { each: 60, businesses: 100 };
const goal = { atLeast: 0.9 };

export async function run({ quick, say }) {
  const load = quick ? { each: 2, businesses: 20, rounds: 1 } : { ...perProcess, rounds: 3 };
  const world = await openWorld();
  const receivers = await openReceivers({ count: load.businesses, answerAfterMs });
  try {
    const { urls, ports } = receivers;
    const webhooks = { concurrency };
    const bell = await openBell(world, { name: "scale", queue: "redis", urls, ports, webhooks });
    try {
      const notifyWith = async (processes) => {
        await bell.start("relay");
        await bell.start("dispatcher", processes);
        // Connections, plans, compiled code.
        await bell.notify(receivers, Math.ceil(load.each / 2) * processes);
        const rate = await bell.notify(receivers, load.each * processes);
        await bell.stop();
        return rate;
      };
      const counts = [1, 2, 4];
      const contenders = counts.map((count) => [count, () => notifyWith(count)]);
      return toLines(await alternate(load.rounds, Object.fromEntries(contenders), say), load);
    } finally {
      await bell.close();
    }
  } finally {
    receivers.end();
    await world.end();
  }
}

function toLines(figures, { each, businesses }) {
  return [2, 4].map((processes) => ({
    name: `${processes} dispatchers, receivers at ${answerAfterMs} ms`,
    unit: "per s",
    ours: figures[processes],
    baseline: processes * figures[1],
    peer: null,
    ratio: figures[processes] / (processes * figures[1]),
    goal,
    conditions: `${(each * businesses * processes).toLocaleString("en")} notifications, ${businesses} businesses, ${concurrency} in flight per process, Redis`,
  }));
}
