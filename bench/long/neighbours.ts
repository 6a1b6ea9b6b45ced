// What businesses cost another one: one or three of them, with wallets and a history, send many
// requests at a time to one route of the API after the other, each from a thread of its own. The
// other's requests and notifications are measured beside them. A quiet run comes before each.
// Usage: node scripts/run.mjs neighbours [--quick] [--seconds 30] [--rounds 1] [--concurrent 60]
// [--attackers 1] [--wallets 5000] [--history 2000] [--routes "GET /balance"]; without --concurrent
// 60 and 200 at a time, without --attackers one and three of them, and with --routes those whose
// name has this text; the requests at a time are of all together. An attack begins with all of its
// connections at once, which delays one notification. Of 150 in 30 s that is not the 99th percentile.
// Prints a table for docs/measurements/long-runs.md: the other business's median of GET /balance, the 99th
// percentile from a payment's block to its webhook, quiet and beside each route, and how the
// attackers were answered: a route that refuses them does little work. Ends with status 1 where a
// median is more than 3 times, or a 99th percentile more than 1.5 times the quiet one.
import { once } from "node:events";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { ANVIL_ACCOUNTS, startAnvil } from "../../test/support/chain/anvil.ts";
import { startReceiver } from "../../test/support/delivery/receiver.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { deployToken } from "../support/chain/transfer-chain.ts";
import { createAttacker } from "./neighbour-asks.ts";
import { type Answers, type Ask, type Attack, attack } from "./neighbour-attack.ts";
import { numberOptions, textOption } from "./number-options.ts";

const values = numberOptions(
  { seconds: 30, rounds: 1, concurrent: 0, attackers: 0, wallets: 5_000, history: 2_000 },
  { seconds: 2, rounds: 1, concurrent: 60, attackers: 0, wallets: 500, history: 100 },
  ["routes"],
);
const routes = textOption("routes") ?? "";
const levels = values.concurrent === 0 ? [60, 200] : [values.concurrent];
const crowds = values.attackers === 0 ? [1, 3] : [values.attackers];
/** How many times a quiet run's figure the figure beside an attack may be. */
const allowed = { balance: 3, webhook: 1.5 };
const askEveryMs = 50;
const payEveryMs = 200;
const arrivalTimeoutMs = 60_000;
const blockchain = "anvil";
const [payer, wallet = ""] = ANVIL_ACCOUNTS;

if (isMainThread) {
  process.exit((await main()) ? 0 : 1);
}
await attack(workerData as Attack);

/** Answers whether the other business stayed within what is allowed. */
async function main(): Promise<boolean> {
  const { open, end } = createResources();
  try {
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    const token = await deployToken(anvil);
    const receivers: Awaited<ReturnType<typeof startReceiver>>[] = [];
    for (let count = 0; count < Math.max(...crowds); count += 1)
      receivers.push(await open(startReceiver(), (one) => one.stop()));
    const cluster = await open(openCluster(), (one) => one.end());
    const deployment = deploymentOf({
      databaseUrl: await cluster.createDatabase("neighbours"),
      redisUrl: null,
      receiverPorts: [receiver, ...receivers].map(({ port }) => port),
      chains: [
        {
          name: blockchain,
          rpcUrl: anvil.rpcUrl,
          confirmations: 1,
          pollMs: 50,
          tokens: [{ code: "BEN", address: token.address, decimals: 18 }],
        },
      ],
    });
    const daemon = await open(startDaemon(ourBuild, deployment), (one) => one.kill());
    const { url, admin } = daemon;
    const deployed = { url, admin, blockchain };
    const victim = await createCustomer({ ...deployed, addresses: [wallet], receiver });
    const attackers: Ask[][] = [];
    for (const one of receivers)
      attackers.push(
        await createAttacker({ ...deployed, receiver: one }, { anvil, token }, values),
      );
    const pay = () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    const measured = { url, key: victim.key, receiver, pay };
    await measure(measured, 3_000);
    let isWithin = true;
    for (const crowd of crowds)
      for (const concurrent of levels)
        if (!(await compareAll(measured, attackers.slice(0, crowd), concurrent))) isWithin = false;
    console.log(isWithin ? "All within what is allowed." : "Not within what is allowed.");
    return isWithin;
  } finally {
    await end();
  }
}

/** Prints a table with a row for each route. */
async function compareAll(
  measured: Measured,
  attackers: Ask[][],
  concurrent: number,
): Promise<boolean> {
  const { seconds, rounds, wallets, history } = values;
  const [load = 0] = loadavg();
  const of = attackers.length === 1 ? "one business" : `${attackers.length} businesses`;
  console.log(
    `\n${concurrent} requests at a time of ${of} with ${wallets} wallets and ${history} transactions each; ${rounds} x ${seconds} s; load ${load.toFixed(1)} at the beginning, ${new Date().toISOString().slice(0, 10)}\n`,
  );
  const { balance, webhook } = allowed;
  console.log(
    `| route | p50 of \`GET /balance\` (goal: ${balance}) | p99 from block to webhook (goal: ${webhook}) | refused to the other | answers to the attackers |`,
  );
  console.log("|---|---|---|---|---|");
  let isWithin = true;
  const each = Math.ceil(concurrent / attackers.length);
  for (const [index, { name }] of (attackers[0] ?? []).entries()) {
    if (!name.includes(routes)) continue;
    const attacks = attackers.flatMap((asks): Attack[] => {
      const ask = asks[index];
      return ask === undefined ? [] : [{ ask, url: measured.url, concurrent: each, blockchain }];
    });
    if (!(await compare(measured, name, attacks))) isWithin = false;
  }
  return isWithin;
}

/** Measures without and with the attacks in turn, and prints what came of it. */
async function compare(measured: Measured, name: string, attacks: Attack[]): Promise<boolean> {
  const [quiet, beside]: [Samples, Samples] = [noSamples(), noSamples()];
  const answers = new Map<number, number>();
  for (let round = 0; round < values.rounds; round += 1) {
    add(quiet, await measure(measured, values.seconds * 1_000));
    const stops = await Promise.all(attacks.map(beginAttack));
    add(beside, await measure(measured, values.seconds * 1_000));
    for (const said of await Promise.all(stops.map((stop) => stop())))
      for (const [status, count] of said) answers.set(status, (answers.get(status) ?? 0) + count);
  }
  const [before, after] = [figuresOf(quiet), figuresOf(beside)];
  const [balance, webhook] = [
    cellOf(before.balance, after.balance, allowed.balance),
    cellOf(before.webhook, after.webhook, allowed.webhook),
  ];
  console.log(
    `| \`${name}\` | ${balance.text} | ${webhook.text} | ${beside.refused} | ${sharesOf(answers)} |`,
  );
  return beside.refused === 0 && balance.isWithin && webhook.isWithin;
}

function cellOf(quiet: number, beside: number, most: number) {
  const isWithin = beside <= most * quiet;
  const [from, to] = [quiet.toFixed(1), beside.toFixed(1)];
  const text = `${from} and ${to} ms: ${(beside / quiet).toFixed(1)} ${isWithin ? "✓" : "✗"}`;
  return { isWithin, text };
}

/** Those that were carried out first, then each refusal. */
function sharesOf(answers: ReadonlyMap<number, number>): string {
  const all = [...answers].sort(([one], [other]) => one - other);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const good = all.filter(([status]) => status >= 200 && status < 300);
  const share = (count: number) => `${((100 * count) / total).toFixed(1)} %`;
  const refused = all.filter((one) => !good.includes(one));
  return [
    `${total}: 2xx ${share(good.reduce((sum, [, count]) => sum + count, 0))}`,
    ...refused.map(([status, count]) => `${status === 0 ? "none" : status} ${share(count)}`),
  ].join(", ");
}

/**
 * Begins an attack in a thread of its own. Answers, once it has begun, how to stop it, which answers
 * how it went.
 */
async function beginAttack(attacking: Attack): Promise<() => Promise<Answers>> {
  const file = new URL(import.meta.url);
  const worker = new Worker(file, { workerData: attacking, argv: process.argv.slice(2) });
  await once(worker, "message");
  const ended = once(worker, "message").then(([said]): Answers => said);
  return () => {
    worker.postMessage("stop");
    return ended;
  };
}

type Measured = {
  url: string;
  key: string;
  receiver: { requests: { receivedAtMs: number; rawBody: Buffer }[] };
  pay: () => Promise<unknown>;
};

/** Times in ms, and how many requests of the other business were not answered 200. */
type Samples = { balance: number[]; webhook: number[]; refused: number };

function noSamples(): Samples {
  return { balance: [], webhook: [], refused: 0 };
}

function add(to: Samples, { balance, webhook, refused }: Samples): void {
  to.balance.push(...balance);
  to.webhook.push(...webhook);
  to.refused += refused;
}

function figuresOf({ balance, webhook }: Samples): { balance: number; webhook: number } {
  return { balance: percentile(balance, 0.5), webhook: percentile(webhook, 0.99) };
}

async function measure({ url, key, receiver, pay }: Measured, forMs: number): Promise<Samples> {
  const untilMs = performance.now() + forMs;
  const latencies: number[] = [];
  let refused = 0;
  const asking = (async () => {
    while (performance.now() < untilMs) {
      const beganMs = performance.now();
      const response = await fetch(`${url}/balance`, { headers: { "x-api-key": key } });
      await response.arrayBuffer();
      if (response.status !== 200) refused += 1;
      latencies.push(performance.now() - beganMs);
      await sleep(askEveryMs);
    }
  })();
  const before = receiver.requests.length;
  const paidAtMs: number[] = [];
  while (performance.now() < untilMs) {
    await pay();
    paidAtMs.push(Date.now());
    await sleep(payEveryMs);
  }
  await asking;
  const giveUpAtMs = Date.now() + arrivalTimeoutMs;
  while (receiver.requests.length < before + paidAtMs.length && Date.now() < giveUpAtMs)
    await sleep(20);
  // One payer, one wallet: the notifications come in the order of the payments.
  const late = paidAtMs.map((at, index) => {
    const received = receiver.requests[before + index];
    return received === undefined ? arrivalTimeoutMs : Math.max(0, received.receivedAtMs - at);
  });
  return { balance: latencies, webhook: late, refused };
}

function percentile(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
