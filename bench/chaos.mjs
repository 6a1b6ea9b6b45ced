// Every notification arrives, whatever is killed: deliveries under way while dispatchers are SIGKILLed, Redis is
// killed, restarted and emptied, and PostgreSQL is restarted. Prints what arrived and how often.
// Usage: node bench/chaos.mjs [--deliveries 5000] [--seconds 25] [--seed 1]
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { endOnSignal } from "./end-on-signal.mjs";
import { insertBusiness, insertNotifications, openWorld } from "./world.mjs";

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "5000" },
    seconds: { type: "string", default: "25" },
    seed: { type: "string", default: "1" },
  },
});
const total = Number(values.deliveries);
const random = seeded(Number(values.seed));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const world = await openWorld();
endOnSignal(world.end);
const port = world.receiverPort;
const receivers = fork(new URL("receivers.mjs", import.meta.url), [port, port + 1].map(String));
await once(receivers, "message");
const arrivedIds = async () => {
  receivers.send("count");
  return (await once(receivers, "message"))[0].ids;
};
const first = await world.openDaemon({
  webhooks: { schedule: ["0s", "1s", "2s", "5s", "10s", "30s"] },
});
const { environment } = first;
const dispatchers = [];
const events = [];
try {
  const businesses = [];
  for (let n = 0; n < 20; n += 1) {
    businesses.push(await insertBusiness(first.db, world, `http://127.0.0.1:${port}/hook`));
  }
  await insertNotifications(first.db, businesses, total / businesses.length);
  const expected = new Set(
    (await first.db.notification.findMany({ select: { id: true } })).map(({ id }) => id),
  );
  await first.stop();
  dispatchers.push(startDispatcher(), startDispatcher());
  const untilMs = Date.now() + Number(values.seconds) * 1_000;
  while (Date.now() < untilMs) {
    await pause(300 + random() * 1_500);
    await disturb();
  }
  const seen = await settle(expected);
  const missing = [...expected].filter((id) => !seen.has(id)).length;
  const repeats = [...seen.values()].reduce((sum, count) => sum + count - 1, 0);
  console.log(`seed ${values.seed}: ${events.join(", ")}`);
  console.log(`  notifications          ${expected.size}`);
  console.log(`  arrived                ${seen.size} (missing ${missing})`);
  console.log(`  arrived again          ${repeats}, each with the id it had before`);
  console.log(
    `  ids nobody wrote       ${[...seen.keys()].filter((id) => !expected.has(id)).length}`,
  );
  process.exitCode = missing === 0 ? 0 : 1;
} finally {
  for (const dispatcher of dispatchers) dispatcher.kill("SIGKILL");
  receivers.kill();
  await world.end();
}
process.exit();

async function disturb() {
  const draw = random();
  if (draw < 0.45) {
    events.push("SIGKILL");
    const n = Math.floor(random() * dispatchers.length);
    dispatchers[n].kill("SIGKILL");
    dispatchers[n] = startDispatcher();
  } else if (draw < 0.7) {
    events.push("FLUSHALL");
    const redis = new Redis(world.redisPort, { lazyConnect: true, retryStrategy: null });
    await redis
      .connect()
      .then(() => redis.flushall())
      .catch(() => {});
    redis.disconnect();
  } else if (draw < 0.9) {
    events.push("Redis killed");
    world.killRedis();
    await pause(500);
    world.reviveRedis();
  } else {
    events.push("PostgreSQL restarted");
    await world.restartPostgres();
  }
}

/** Until everything has arrived: a lease of a killed dispatcher ends after a minute. */
async function settle(expected) {
  const giveUpAtMs = Date.now() + 150_000;
  for (;;) {
    const counts = new Map();
    for (const id of await arrivedIds()) counts.set(id, (counts.get(id) ?? 0) + 1);
    if (counts.size >= expected.size || Date.now() > giveUpAtMs) return counts;
    await pause(500);
  }
}

function startDispatcher() {
  const main = fileURLToPath(new URL("../dist/bin/main.js", import.meta.url));
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [main], {
    env: { PATH, HOME, ...environment, LOG_LEVEL: "silent" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** mulberry32: small, and the same everywhere. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
