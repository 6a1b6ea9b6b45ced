// What one business costs another: it sends many requests at a time to one route of the API after
// the other, from a thread of its own, and the other's requests and notifications are measured
// beside it. A quiet run comes before each.
// Usage: node scripts/run.mjs neighbours [--quick] [--seconds 10] [--rounds 2] [--concurrent 60]
// [--wallets 5000]; without --concurrent 60 and 200 at a time
// Prints the other business's median of GET /balance, and the 99th percentile from a payment's
// block to its webhook, quiet and beside each route, and how the attacker was answered. Ends with
// status 1 where a median is more than 3 times, or a 99th percentile more than 1.5 times the quiet
// one.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { ANVIL_ACCOUNTS, startAnvil } from "../../test/support/chain/anvil.ts";
import { startReceiver } from "../../test/support/delivery/receiver.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { randomAddress } from "../support/random-address.ts";
import { numberOptions } from "./number-options.ts";

const values = numberOptions(
  { seconds: 10, rounds: 2, concurrent: 0, wallets: 5_000 },
  { seconds: 2, rounds: 1, concurrent: 60, wallets: 500 },
);
const levels = values.concurrent === 0 ? [60, 200] : [values.concurrent];
/** How many times a quiet run's figure the figure beside an attack may be. */
const allowed = { balance: 3, webhook: 1.5 };
const askEveryMs = 50;
const payEveryMs = 400;
const arrivalTimeoutMs = 60_000;
const askTimeoutMs = 20_000;
const [payer, wallet = ""] = ANVIL_ACCOUNTS;

type Ask = { method: string; path: string; body?: object };

/** The business that attacks, and what its requests are about. */
type Attacker = { key: string; webhookId: string; walletId: string };

/** A request that the attacker sends again and again. */
type Attack = Ask & { name: string; url: string; key: string; concurrent: number };

/** The bodies of routes that need one; the others are sent an empty one. */
const bodies: Record<string, object> = {
  "POST /webhooks": { url: "https://receiver.example/hook", additional: true },
  "PATCH /webhooks/{id}": { rate: 9 },
  "POST /webhooks/{id}/recover": { since: "2026-01-01T00:00:00Z" },
  "POST /wallets": { blockchain: "anvil", address: ANVIL_ACCOUNTS[9] },
};

/** What makes a route dear. */
const queries: Record<string, string> = {
  "/wallets": "?limit=500",
  "/transactions": "?limit=500",
  "/notifications": "?limit=500",
  "/search": "?q=order",
};

type Described = { paths: Record<string, Record<string, { security?: object[] }>> };

/** One request for each route of a business, as the API describes its routes, and the sign-in. */
function asksOf(
  { paths }: Described,
  { webhookId, walletId }: Attacker,
): (Ask & { name: string })[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((one) => "apiKey" in one))
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
  const business = routes.map(({ method, path }) => {
    const name = `${method} ${path}`;
    // What is deleted was never there: the attacker's webhook stays.
    const id = method !== "DELETE" && path.startsWith("/webhooks") ? webhookId : randomUUID();
    const filled = path.replace("{wallet_id}", walletId).replaceAll(/\{\w+\}/g, id);
    const query = method === "GET" ? (queries[path] ?? "") : "";
    return { name, method, path: `${filled}${query}`, body: bodies[name] ?? {} };
  });
  return [...business, { name: "POST /console/session", method: "POST", path: "/console/session" }];
}

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
    const attackers = await open(startReceiver(), (one) => one.stop());
    const cluster = await open(openCluster(), (one) => one.end());
    const deployment = deploymentOf({
      databaseUrl: await cluster.createDatabase("neighbours"),
      redisUrl: null,
      receiverPorts: [receiver.port, attackers.port],
      chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 1, pollMs: 50 }],
    });
    const daemon = await open(startDaemon(ourBuild, deployment), (one) => one.kill());
    const { url, admin } = daemon;
    const deployed = { url, admin, blockchain: "anvil", receiver };
    const victim = await createCustomer({ ...deployed, addresses: [wallet] });
    const attacker = await createCustomer({
      ...deployed,
      addresses: [],
      receiver: attackers,
    });
    let walletId = "";
    for (let added = 0; added < values.wallets; added += 1_000) {
      const count = Math.min(1_000, values.wallets - added);
      const wallets = Array.from({ length: count }, (_, index) => ({
        blockchain: "anvil",
        address: randomAddress(),
        reference: `order-${added + index}`,
      }));
      const rows = await admin.post(`/admin/businesses/${attacker.businessId}/wallets`, {
        wallets,
      });
      walletId = rows[0].wallet_id;
    }
    const pay = () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    const measured = { url, key: victim.key, receiver, pay };
    await measure(measured, 3_000);
    const described = (await (await fetch(`${url}/openapi.json`)).json()) as Described;
    const { key, webhookId } = attacker;
    const asks = asksOf(described, { key, webhookId, walletId });
    let isWithin = true;
    for (const concurrent of levels) {
      const { seconds, rounds, wallets } = values;
      console.log(`${concurrent} at a time, ${rounds} x ${seconds} s, ${wallets} wallets`);
      for (const ask of asks)
        if (!(await compare(measured, { ...ask, url, key, concurrent }))) isWithin = false;
    }
    console.log(isWithin ? "All within what is allowed." : "Not within what is allowed.");
    return isWithin;
  } finally {
    await end();
  }
}

/** Measures without and with the attack in turn, and prints what came of it. */
async function compare(measured: Measured, attacking: Attack): Promise<boolean> {
  const [quiet, beside]: [Samples, Samples] = [noSamples(), noSamples()];
  const answers: string[] = [];
  for (let round = 0; round < values.rounds; round += 1) {
    add(quiet, await measure(measured, values.seconds * 1_000));
    const stop = beginAttack(attacking);
    add(beside, await measure(measured, values.seconds * 1_000));
    answers.push(await stop());
  }
  const [before, after] = [figuresOf(quiet), figuresOf(beside)];
  const isWithin =
    beside.refused === 0 &&
    after.balance <= allowed.balance * before.balance &&
    after.webhook <= allowed.webhook * before.webhook;
  const balance = line(before.balance, after.balance);
  const webhook = line(before.webhook, after.webhook);
  console.log(
    `${isWithin ? "ok  " : "FAIL"} ${attacking.name}: balance p50 ${balance}; webhook p99 ${webhook}; refused ${beside.refused}; attacker ${answers.join(" | ")}`,
  );
  return isWithin;
}

function line(quiet: number, beside: number): string {
  return `${quiet.toFixed(1)} -> ${beside.toFixed(1)} ms (${(beside / quiet).toFixed(1)} x)`;
}

/** Begins an attack in a thread of its own. Answers how to stop it, which answers how it went. */
function beginAttack(attacking: Attack): () => Promise<string> {
  const file = new URL(import.meta.url);
  const worker = new Worker(file, { workerData: attacking, argv: process.argv.slice(2) });
  const ended = new Promise<string>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return () => {
    worker.postMessage("stop");
    return ended;
  };
}

/** Asks again and again, so many at a time, until it is told to stop. */
async function attack({ concurrent, ...ask }: Attack): Promise<void> {
  const answers = new Map<number, number>();
  let isOver = false;
  parentPort?.once("message", () => {
    isOver = true;
  });
  const one = async () => {
    while (!isOver) {
      const status = await send(ask);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, one));
  parentPort?.postMessage([...answers].map(([status, count]) => `${status}: ${count}`).join(", "));
}

/** Answers the status; 0 where there was none. */
async function send({ url, key, method, path, body }: Omit<Attack, "concurrent">) {
  const isSignIn = path === "/console/session";
  const { origin } = new URL(url);
  const asBrowser = { origin, "sec-fetch-site": "same-origin" };
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(isSignIn ? asBrowser : { "x-api-key": key }),
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(isSignIn ? { api_key: key } : body) }),
    // A stream never ends by itself.
    signal: AbortSignal.timeout(askTimeoutMs),
  }).catch(() => null);
  await response?.arrayBuffer().catch(() => null);
  return response?.status ?? 0;
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
