// What a hanging and a dead receiver, each with thousands of deliveries waiting, cost everybody else.
// Usage: node bench/fairness.mjs [--seconds 30] [--per-second 20] [--backlog 10000]
// `per-second` is for each of the 50 healthy businesses. Prints both runs, their ratio, Redis' memory and what is kept.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { endOnSignal } from "./end-on-signal.mjs";
import { insertBusiness, insertNotifications, openWorld, percentiles } from "./world.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    "per-second": { type: "string", default: "20" },
    backlog: { type: "string", default: "10000" },
  },
});
const seconds = Number(values.seconds);
const perSecond = Number(values["per-second"]);
const backlog = Number(values.backlog);

const world = await openWorld();
endOnSignal(world.end);
const port = world.receiverPort;
const receivers = fork(new URL("receivers.mjs", import.meta.url), [port, port + 1].map(String));
await once(receivers, "message");
const ask = async (question) => {
  receivers.send(question);
  return (await once(receivers, "message"))[0];
};
const daemon = await world.openDaemon();
try {
  const { db } = daemon;
  const urlOf = (n) => `http://127.0.0.1:${port + n}/hook`;
  const healthy = [];
  for (let n = 0; n < 50; n += 1) healthy.push(await insertBusiness(db, world, urlOf(0)));
  // Warm up: connections, plans, compiled code.
  await run(db, healthy, 5);
  const alone = await run(db, healthy, seconds);
  const hanging = await insertBusiness(db, world, urlOf(1));
  const dead = await insertBusiness(db, world, urlOf(2));
  await insertNotifications(db, [hanging, dead], backlog);
  const beside = await run(db, healthy, seconds);
  const redis = new Redis(world.redisPort);
  const memory = /used_memory_human:(\S+)/.exec(await redis.info("memory"))?.[1];
  redis.disconnect();
  const kept = await db.delivery.count({ where: { businessId: dead.id, status: "waiting" } });
  console.log(`50 healthy businesses, ${perSecond} notifications a second each, ${seconds} s`);
  console.log(
    `  alone                                   p50 ${alone.p50} ms  p99 ${alone.p99} ms  (${alone.count} heard)`,
  );
  console.log(
    `  beside a hanging and a dead one         p50 ${beside.p50} ms  p99 ${beside.p99} ms  (${beside.count} heard)`,
  );
  console.log(`  p99 beside / alone                      ${(beside.p99 / alone.p99).toFixed(2)}`);
  console.log(`  Redis memory with ${2 * backlog} waiting       ${memory}`);
  console.log(`  the dead one's deliveries still waiting ${kept} of ${backlog}`);
} finally {
  await daemon.stop();
  receivers.kill();
  await world.end();
}
process.exit();

async function run(db, businesses, forSeconds) {
  await ask("forget");
  const endsAtMs = Date.now() + forSeconds * 1_000;
  let sent = 0;
  while (Date.now() < endsAtMs) {
    const beganAtMs = Date.now();
    const some = businesses.filter((_, index) => index % 10 === sent % 10);
    await insertNotifications(db, some, 1);
    sent += 1;
    const pauseMs = 1_000 / (10 * perSecond) - (Date.now() - beganAtMs);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const expected = sent * (businesses.length / 10);
  let heard = await ask("count");
  for (let tries = 0; heard.latencies.length < expected && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    heard = await ask("count");
  }
  return { ...percentiles(heard.latencies), count: `${heard.latencies.length} of ${expected}` };
}
