// What a hanging and a dead receiver, each with thousands of deliveries waiting, cost everybody else.
// Usage: node scripts/run.mjs fairness [--seconds 30] [--per-second 20] [--backlog 10000]
// `per-second` is for each of the 50 healthy businesses. Prints both runs, their ratio, Redis' memory and what still waits.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { v7 as newId } from "uuid";
import { waitFor } from "../../test/support/wait-for.ts";
import { insertNotifications, wakeRelay } from "../support/delivery/notifications.ts";
import type { NotifiedBusiness } from "../support/delivery/notified-business.ts";
import { type BusyDelivery, openBusyDelivery } from "./busy-delivery.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    "per-second": { type: "string", default: "20" },
    backlog: { type: "string", default: "10000" },
  },
});
const [seconds, perSecond] = [Number(values.seconds), Number(values["per-second"])];
const backlog = Number(values.backlog);
const healthyCount = 50;
const arrivalTimeoutMs = 10_000;

await main();
process.exit();

async function main(): Promise<void> {
  const world = await openBusyDelivery(({ url, hangingUrl, deadUrl }) => [
    ...Array.from({ length: healthyCount }, () => url),
    ...[hangingUrl, deadUrl],
  ]);
  try {
    await world.startDaemon();
    const healthy = world.businesses.slice(0, healthyCount);
    const others = world.businesses.slice(healthyCount);
    // Warm up: connections, plans, compiled code.
    await run(world, healthy, 5);
    const alone = await run(world, healthy, seconds);
    const waiting = Array.from({ length: backlog }, () => others.map(notificationTo)).flat();
    await insertNotifications(world.db, waiting);
    await wakeRelay(world.db);
    const beside = await run(world, healthy, seconds);
    await print(world, { alone, beside, dead: others.at(-1)?.id ?? "" });
  } finally {
    await world.end();
  }
}

type Latencies = { p50: number; p99: number; arrived: string };

async function print(
  world: BusyDelivery,
  { alone, beside, dead }: { alone: Latencies; beside: Latencies; dead: string },
): Promise<void> {
  const redis = new Redis(world.redisUrl);
  const memory = /used_memory_human:(\S+)/.exec(await redis.info("memory"))?.[1];
  redis.disconnect();
  const sql = "SELECT 1 FROM delivery WHERE business_id = $1 AND status = 'waiting'";
  const { rowCount } = await world.db.query(sql, [dead]);
  const shown = ({ p50, p99, arrived }: Latencies) =>
    `p50 ${p50} ms  p99 ${p99} ms  (${arrived} arrived)`;
  const rows = [
    ["alone", shown(alone)],
    ["beside a hanging and a dead one", shown(beside)],
    ["p99 beside / alone", (beside.p99 / alone.p99).toFixed(2)],
    [`Redis memory with ${2 * backlog} waiting`, memory ?? "unknown"],
    ["the dead one's deliveries still waiting", `${rowCount} of ${backlog}`],
  ];
  const each = `${perSecond} notifications a second each, ${seconds} s`;
  console.log(`${healthyCount} healthy businesses, ${each}`);
  for (const [what = "", figure = ""] of rows) console.log(`  ${what.padEnd(40)}${figure}`);
}

/** Its body says when it was made, in ms. */
function notificationTo(business: NotifiedBusiness) {
  const id = newId();
  const body = JSON.stringify({ id, event: "transaction.deposit", atMs: Date.now() });
  return { id, business, body };
}

/** From the making of a notification to its arrival. */
async function run(
  { db, receiver }: BusyDelivery,
  businesses: readonly NotifiedBusiness[],
  forSeconds: number,
): Promise<Latencies> {
  await receiver.ask("forget");
  const beganAtMs = performance.now();
  const everyMs = 1_000 / (10 * perSecond);
  let turn = 0;
  let due = 0;
  while (performance.now() < beganAtMs + forSeconds * 1_000) {
    const some = businesses.filter((_, index) => index % 10 === turn % 10);
    await insertNotifications(db, some.map(notificationTo));
    await wakeRelay(db);
    due += some.length;
    turn += 1;
    const leftMs = beganAtMs + turn * everyMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
  }
  const hasAll = async () => (await receiver.ask("count")).count >= due;
  const all = { what: `${due} notifications`, timeoutMs: arrivalTimeoutMs };
  // What has not arrived by then is shown as missing.
  await waitFor(hasAll, all).catch(() => {});
  const { arrivals } = await receiver.ask("all");
  const latencies = arrivals.map(({ body, firstAtMs }) => {
    const { atMs } = JSON.parse(body) as { atMs: number };
    return firstAtMs - atMs;
  });
  return { ...percentiles(latencies), arrived: `${arrivals.length} of ${due}` };
}

function percentiles(latencies: readonly number[]): { p50: number; p99: number } {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
