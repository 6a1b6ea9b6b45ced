// Every notification arrives, whatever is killed: deliveries under way while dispatchers are
// SIGKILLed, Redis is killed, restarted and emptied, and PostgreSQL is restarted. Prints what
// arrived and how often.
// Usage: node scripts/run.mjs chaos [--deliveries 5000] [--seconds 25] [--seed 1]
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import { createRandom } from "../../test/support/random.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { insertNotifications, makeNotifications } from "../support/delivery/notifications.ts";
import { type BusyDelivery, openBusyDelivery } from "./busy-delivery.ts";
import { numberOptions } from "./number-options.ts";

const values = numberOptions({ deliveries: 5_000, seconds: 25, seed: 1 });
const total = values.deliveries;
const random = createRandom(values.seed);
const businessCount = 20;
const schedule = ["0s", "1s", "2s", "5s", "10s", "30s"];
/** A claim of a killed dispatcher ends after a minute. */
const arrivalTimeoutMs = 150_000;

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const world = await openBusyDelivery(
    ({ url }) => Array.from({ length: businessCount }, () => [url]),
    { schedule },
  );
  try {
    const notifications = makeNotifications(world.businesses, total / businessCount);
    await insertNotifications(world.db, notifications);
    const expected = new Set(notifications.map(({ id }) => id));
    const events = await disturb(world);
    console.log(`seed ${values.seed}: ${events.join(", ")}`);
    return await settle(world, expected);
  } finally {
    await world.end();
  }
}

/** Lets two dispatchers work, and every second or so something happens to them. Answers what. */
async function disturb(world: BusyDelivery): Promise<string[]> {
  const dispatchers = [await world.startDaemon(), await world.startDaemon()];
  const events: string[] = [];
  const untilMs = Date.now() + values.seconds * 1_000;
  while (Date.now() < untilMs) {
    await sleep(300 + random.upTo(1_500));
    events.push(await happen(world, dispatchers));
  }
  return events;
}

async function happen(world: BusyDelivery, dispatchers: DaemonProcess[]): Promise<string> {
  const draw = random.upTo(100);
  if (draw < 45) {
    const at = random.upTo(dispatchers.length);
    await dispatchers[at]?.kill();
    dispatchers[at] = await world.startDaemon();
    return "SIGKILL";
  }
  if (draw < 70) {
    await emptyRedis(world.redisUrl);
    return "FLUSHALL";
  }
  if (draw < 90) {
    await world.killRedis();
    await sleep(500);
    await world.reviveRedis();
    return "Redis killed";
  }
  await world.restartPostgres();
  return "PostgreSQL restarted";
}

async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

/**
 * Waits until everything has arrived, and prints what came of it. Whether nothing is missing, and
 * nothing invented.
 */
async function settle({ receiver }: BusyDelivery, expected: Set<string>): Promise<boolean> {
  const hasAll = async () => (await receiver.ask("count")).count >= expected.size;
  const all = { what: "every notification", timeoutMs: arrivalTimeoutMs };
  await waitFor(hasAll, all).catch(() => {});
  const { arrivals } = await receiver.ask("all");
  const seen = new Set(arrivals.map(({ id }) => id));
  const missing = [...expected].filter((id) => !seen.has(id)).length;
  const unknown = [...seen].filter((id) => !expected.has(id)).length;
  const repeats = arrivals.reduce((sum, { times }) => sum + times - 1, 0);
  console.log(`  notifications          ${expected.size}`);
  console.log(`  arrived                ${seen.size} (missing ${missing})`);
  console.log(`  arrived again          ${repeats}, each with the id it had before`);
  console.log(`  ids nobody wrote       ${unknown}`);
  return missing === 0 && unknown === 0;
}
