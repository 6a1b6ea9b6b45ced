// How the rate grows with dispatcher processes, where what bounds a process is how many it sends at
// once.
import { createResources } from "../../test/support/resources.ts";
import { buildsWith, ourBuild } from "../process/build.ts";
import { type Contenders, medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { type Delivery, openDelivery } from "../support/delivery/open-delivery.ts";
import { openReceivers } from "../support/delivery/receivers.ts";
import { openServers } from "../support/servers.ts";

const answerAfterMs = 100;
/** Few for each process, so that four of them ask for less than two cores have. */
const concurrency = 40;
/**
 * To make each process busy for a quarter of a minute: how the slots fill and empty is no longer
 * what is measured.
 */
const whole = { each: 60, businesses: 100, rounds: 3 };
const quickly = { each: 2, businesses: 20, rounds: 1 };

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const { each, businesses, rounds } = quick ? quickly : whole;
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(), (one) => one.end());
    const opening = openReceivers({ count: businesses, answerAfterMs });
    const receivers = await open(opening, (one) => one.end());
    const webhooks = { concurrency };
    const contenders: Contenders<number> = {};
    for (const build of buildsWith(against)) {
      const opening = openDelivery(servers, { build, queue: "redis", receivers, webhooks });
      const delivery = await open(opening, (one) => one.end());
      for (const processes of [1, 2, 4]) {
        const rate = () => deliverWith(delivery, { each, processes });
        contenders[nameOf(build.name, processes)] = rate;
      }
    }
    const figure = await medians(rounds, contenders, report);
    return [2, 4].map((processes) =>
      lineOf({
        name: `${processes} dispatchers, receivers at ${answerAfterMs} ms`,
        unit: "per s",
        ours: figure(nameOf(ourBuild.name, processes)),
        baseline: processes * figure(nameOf(ourBuild.name, 1)),
        against: against === null ? null : figure(nameOf(against.name, processes)),
        goal: { atLeast: 0.9 },
        conditions: `${(each * businesses * processes).toLocaleString("en")} notifications, ${businesses} businesses, ${concurrency} in flight per process, Redis`,
      }),
    );
  } finally {
    await end();
  }
}

const nameOf = (build: string, processes: number) => `${build}, with ${processes}`;

/** Deliveries per second. */
async function deliverWith(
  delivery: Delivery,
  { each, processes }: { each: number; processes: number },
): Promise<number> {
  await delivery.start("relay");
  await delivery.start("dispatcher", processes);
  // Connections, plans, compiled code.
  await delivery.deliver(Math.ceil(each / 2) * processes);
  const perSecond = await delivery.deliver(each * processes);
  await delivery.stop();
  return perSecond;
}
