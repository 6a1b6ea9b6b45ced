// What others cost 50 healthy businesses: a hanging and a dead receiver with thousands of
// deliveries waiting, 25 known receivers that begin to hang at once, and a business that hangs and
// gives itself another URL every 0.2 s. And what two webhooks in trouble cost 14 of their business.
// Usage: node scripts/run.mjs fairness [--seconds 30] [--per-second 20] [--backlog 10000] [--attack
// backlog|hanging|registering|siblings] [--by-second] `per-second` is for each of the healthy ones.
// Without `attack` each in turn, with a daemon and a database of its own, and with the same load
// alone before it. Prints the latencies, their ratio, Redis' memory and what still waits; with
// `by-second` also those of each second beside the attack.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { v7 as newId } from "uuid";
import { waitFor } from "../../test/support/wait-for.ts";
import { insertNotifications, wakeRelay } from "../support/delivery/notifications.ts";
import { type NotifiedBusiness, oneByOne } from "../support/delivery/notified-business.ts";
import { type Attack, type AttackName, attacks } from "./attacks.ts";
import { type BusyDelivery, openBusyDelivery } from "./busy-delivery.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    "per-second": { type: "string", default: "20" },
    backlog: { type: "string", default: "10000" },
    attack: { type: "string" },
    "by-second": { type: "boolean", default: false },
  },
});
const [seconds, perSecond] = [Number(values.seconds), Number(values["per-second"])];
const backlog = Number(values.backlog);
const arrivalTimeoutMs = 10_000;

const names = Object.keys(attacks) as AttackName[];
const wanted = names.filter((name) => values.attack === undefined || values.attack === name);
if (wanted.length === 0) throw new Error(`--attack is one of ${names.join(", ")}`);
const each = `${perSecond} notifications a second each, ${seconds} s`;
for (const name of wanted) await play(attacks[name]);
process.exit();

async function play(attack: Attack): Promise<void> {
  console.log(`${attack.healthy}, ${each}`);
  const world = await openBusyDelivery(attack.urlLists);
  try {
    await world.startDaemon();
    const webhooks = oneByOne(world.businesses);
    const healthy = webhooks.slice(0, attack.healthyCount);
    const others = webhooks.slice(attack.healthyCount);
    // Connections, plans, compiled code; and who answers is known by then.
    await insertNotifications(world.db, others.map(notificationTo));
    await run(world, healthy, 5);
    const alone = await run(world, healthy, seconds);
    const waiting = Array.from({ length: Math.ceil((2 * backlog) / others.length) }, () =>
      others.map(notificationTo),
    ).flat();
    await insertNotifications(world.db, waiting);
    const stop = await attack.begin(world, others);
    await wakeRelay(world.db);
    const beside = await run(world, healthy, seconds);
    const done = await stop();
    await print(world, { attack, alone, beside, done, of: waiting.length });
  } finally {
    await world.end();
  }
}

type Latencies = Percentiles & { arrived: string; bySecond: Percentiles[] };
type Percentiles = { p50: number; p99: number };

async function print(
  world: BusyDelivery,
  seen: { attack: Attack; alone: Latencies; beside: Latencies; done: string; of: number },
): Promise<void> {
  const { attack, alone, beside, done, of } = seen;
  const redis = new Redis(world.redisUrl);
  const memory = /used_memory_human:(\S+)/.exec(await redis.info("memory"))?.[1];
  redis.disconnect();
  const { rowCount } = await world.db.query("SELECT 1 FROM delivery WHERE status = 'waiting'");
  const shown = ({ p50, p99, arrived }: Latencies) =>
    `p50 ${p50} ms  p99 ${p99} ms  (${arrived} arrived)`;
  const rows = [
    ["alone", shown(alone)],
    [`beside ${attack.title}`, shown(beside)],
    ["p99 beside / alone", (beside.p99 / alone.p99).toFixed(2)],
    ["Redis memory", memory ?? "unknown"],
    ["still waiting for the others", `${rowCount} of ${of}`],
    ...(done === "" ? [] : [["the attack", done]]),
  ];
  const width = Math.max(...rows.map(([what = ""]) => what.length)) + 2;
  for (const [what = "", figure = ""] of rows) console.log(`  ${what.padEnd(width)}${figure}`);
  if (!values["by-second"]) return;
  for (const [second, { p50, p99 }] of beside.bySecond.entries())
    console.log(`  second ${second}: p50 ${p50} ms  p99 ${p99} ms`);
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
  const epochMs = Date.now();
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
  const sent = arrivals.map(({ body, firstAtMs }) => {
    const { atMs } = JSON.parse(body) as { atMs: number };
    return { second: Math.floor((atMs - epochMs) / 1_000), latencyMs: firstAtMs - atMs };
  });
  const latencies = (of: typeof sent) => of.map(({ latencyMs }) => latencyMs);
  const bySecond = Array.from({ length: forSeconds }, (_, at) =>
    percentiles(latencies(sent.filter(({ second }) => second === at))),
  );
  return { ...percentiles(latencies(sent)), bySecond, arrived: `${arrivals.length} of ${due}` };
}

function percentiles(latencies: readonly number[]): Percentiles {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
