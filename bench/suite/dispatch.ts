// How many notifications a second reach their businesses, beside a loop that signs and posts them
// and stores nothing, and one that also keeps them safe; and how many deliveries a second there are
// where each notification goes to four webhooks, beside four times the notifications to one webhook
// of each of these businesses. A business has its places in flight whatever it has registered, so
// only as many businesses can be compared.
import { randomUUID } from "node:crypto";
import { createResources } from "../../test/support/resources.ts";
import { buildsWith, ourBuild } from "../process/build.ts";
import { type Program, startProgram } from "../process/start-program.ts";
import { type Contenders, medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { makeNotifications } from "../support/delivery/notifications.ts";
import type { NotifiedBusiness } from "../support/delivery/notified-business.ts";
import { openDelivery, type Queue } from "../support/delivery/open-delivery.ts";
import { openReceivers, type Receivers } from "../support/delivery/receivers.ts";
import { openServers, type Servers } from "../support/servers.ts";

/** Deliveries in flight of one dispatcher; see src/app/deliver.ts. */
const concurrency = 200;
const queues = ["redis", "postgres"] as const;

/** By what the receivers take to answer, in ms. */
const goals = [
  { answerAfterMs: 0, redis: { atLeast: 0.75 }, postgres: { atLeast: 0.65 } },
  { answerAfterMs: 100, redis: { atLeast: 0.97 }, postgres: { atLeast: 0.97 } },
];

/** The webhooks of each business, where it has several. */
const several = 4;
const severalGoal = { atLeast: 0.9 };

type Load = { businesses: number; each: number; warmUp: number; rounds: number };
type Goals = (typeof goals)[number];

export async function run(options: BenchOptions): Promise<Line[]> {
  const load = options.quick
    ? { businesses: 20, each: 10, warmUp: 2, rounds: 1 }
    : { businesses: 100, each: 200, warmUp: 20, rounds: 3 };
  const servers = await openServers();
  try {
    const lines: Line[] = [];
    for (const goal of goals) {
      options.report(`receivers that answer in ${goal.answerAfterMs} ms`);
      lines.push(...(await measure(servers, goal, load, options)));
    }
    return lines;
  } finally {
    await servers.end();
  }
}

async function measure(
  servers: Servers,
  goal: Goals,
  load: Load,
  { report, against }: BenchOptions,
): Promise<Line[]> {
  const { businesses: count, each, warmUp, rounds } = load;
  const { open, end } = createResources();
  try {
    const { answerAfterMs } = goal;
    const receivers = await open(openReceivers({ count, answerAfterMs }), (one) => one.end());
    const bare = await open(startProgram("post-loop", null), (one) => one.stop());
    const databaseUrl = await servers.cluster.createDatabase(`durable_${randomUUID()}`);
    const starting = startProgram("durable-post-loop", { databaseUrl });
    const durable = await open(starting, (one) => one.stop());
    const runs: Record<string, (each: number) => Promise<number>> = {};
    for (const build of buildsWith(against)) {
      for (const queue of queues) {
        const opening = openDelivery(servers, { build, queue, receivers });
        const delivery = await open(opening, (one) => one.end());
        await delivery.start("relay,dispatcher");
        runs[nameOf(build.name, queue)] = delivery.deliver;
        // The same businesses, whose secrets sign the same work.
        const { businesses } = delivery;
        runs["bare"] ??= (n) => post(bare, receivers, { businesses, n });
        runs["durable"] ??= (n) => post(durable, receivers, { businesses, n });
      }
    }
    const few = { count: count / several, answerAfterMs };
    const fewReceivers = await open(openReceivers(few), (one) => one.end());
    for (const queue of queues) {
      const build = ourBuild;
      const many = openDelivery(servers, { build, queue, receivers, webhooksEach: several });
      const severalEach = await open(many, (one) => one.end());
      await severalEach.start("relay,dispatcher");
      runs[nameOf(severalName, queue)] = severalEach.deliver;
      const one = openDelivery(servers, { build, queue, receivers: fewReceivers });
      const oneEach = await open(one, (opened) => opened.end());
      await oneEach.start("relay,dispatcher");
      runs[nameOf(fewName, queue)] = (n) => oneEach.deliver(several * n);
    }
    // Connections, plans, compiled code: a daemon has been running for longer than a second.
    for (const run of Object.values(runs)) await run(warmUp);
    const contenders: Contenders<number> = Object.fromEntries(
      Object.entries(runs).map(([name, run]) => [name, () => run(each)]),
    );
    const figure = await medians(rounds, contenders, report);
    const deliveries = `${(count * each).toLocaleString("en")} deliveries`;
    return queues.flatMap((queue) => [
      lineOf({
        name: `${queue}, receivers at ${answerAfterMs} ms`,
        unit: "per s",
        ours: figure(nameOf(ourBuild.name, queue)),
        baseline: figure("bare"),
        durable: figure("durable"),
        against: against === null ? null : figure(nameOf(against.name, queue)),
        goal: goal[queue],
        conditions: `${deliveries}, ${count} businesses, ${concurrency} in flight`,
      }),
      lineOf({
        name: `${queue}, ${several} webhooks each, receivers at ${answerAfterMs} ms`,
        unit: "per s",
        ours: figure(nameOf(severalName, queue)),
        baseline: figure(nameOf(fewName, queue)),
        against: null,
        goal: severalGoal,
        conditions: `${deliveries}, ${count / several} businesses, beside as many to one webhook of each`,
      }),
    ]);
  } finally {
    await end();
  }
}

const severalName = `${several} webhooks each`;
const fewName = "as many to one webhook of each";
const nameOf = (build: string, queue: Queue) => `${build}, ${queue}`;

/** The same work without Chainbell; in notifications per second. */
async function post(
  loop: Program<"post-loop"> | Program<"durable-post-loop">,
  receivers: Receivers,
  { businesses, n }: { businesses: readonly NotifiedBusiness[]; n: number },
): Promise<number> {
  const messages = makeNotifications(businesses, n).flatMap(({ id, business, body }) =>
    business.webhooks.map(({ url, secret }) => ({ notificationId: id, url, secret, body })),
  );
  const arrived = receivers.waitFor(messages.length);
  const { startedAtMs } = await loop.ask({ messages, concurrency });
  return (messages.length * 1_000) / ((await arrived).lastAtMs - startedAtMs);
}
