// What one business costs another: it sends many requests at a time to one route, from a thread of
// its own, and the other's requests and notifications are measured beside it. A quiet run comes
// before each.
// Usage: node scripts/run.mjs neighbours [--seconds 10] [--concurrent 60] [--wallets 5000]
// Prints the other business's median of GET /balance, and the 99th percentile from a payment's
// block to its webhook, quiet and beside the attack, and how the attacker was answered.
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

const values = numberOptions({ seconds: 10, concurrent: 60, wallets: 5_000 });
const askEveryMs = 50;
const payEveryMs = 400;
const arrivalTimeoutMs = 60_000;
const [payer, wallet = ""] = ANVIL_ACCOUNTS;

type Ask = { method: string; path: string; body?: object };

/** What the attacker asks; each is one route. */
const attacks: Record<string, (webhookId: string) => Ask> = {
  "GET /wallets": () => ({ method: "GET", path: "/wallets?limit=500" }),
  "GET /search": () => ({ method: "GET", path: "/search?q=order" }),
  "GET /transactions": () => ({ method: "GET", path: "/transactions?limit=500" }),
  "POST /api-keys": () => ({ method: "POST", path: "/api-keys", body: {} }),
  "PATCH /webhooks": (id) => ({ method: "PATCH", path: `/webhooks/${id}`, body: { rate: 9 } }),
  "POST /console/session": () => ({ method: "POST", path: "/console/session" }),
};

/** What the attacking thread is given. */
type Attack = { name: string; url: string; key: string; webhookId: string };

if (isMainThread) {
  await main();
  process.exit();
}
await attack(workerData);

async function main(): Promise<void> {
  const { open, end } = createResources();
  try {
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    const cluster = await open(openCluster(), (one) => one.end());
    const deployment = deploymentOf({
      databaseUrl: await cluster.createDatabase("neighbours"),
      redisUrl: null,
      receiverPorts: [receiver.port],
      chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 1 }],
    });
    const daemon = await open(startDaemon(ourBuild, deployment), (one) => one.kill());
    const { url, admin } = daemon;
    const deployed = { url, admin, blockchain: "anvil", receiver };
    const victim = await createCustomer({ ...deployed, addresses: [wallet] });
    const attacker = await createCustomer({ ...deployed, addresses: [] });
    for (let added = 0; added < values.wallets; added += 1_000) {
      const count = Math.min(1_000, values.wallets - added);
      const wallets = Array.from({ length: count }, (_, index) => ({
        blockchain: "anvil",
        address: randomAddress(),
        reference: `order-${added + index}`,
      }));
      await admin.post(`/admin/businesses/${attacker.businessId}/wallets`, { wallets });
    }
    const pay = () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    const measured = { url, key: victim.key, receiver, pay };
    await measure(measured, 3_000);
    console.log(`${values.concurrent} at a time, ${values.seconds} s, ${values.wallets} wallets`);
    const { key, webhookId } = attacker;
    for (const name of Object.keys(attacks)) {
      const quiet = await measure(measured, values.seconds * 1_000);
      const stop = beginAttack({ name, url, key, webhookId });
      const beside = await measure(measured, values.seconds * 1_000);
      const answers = await stop();
      console.log(
        `${name}: balance p50 ${line(quiet.p50, beside.p50)}; webhook p99 ${line(quiet.p99, beside.p99)}; refused ${beside.refused}; attacker ${answers}`,
      );
    }
  } finally {
    await end();
  }
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
async function attack({ name, url, key, webhookId }: Attack): Promise<void> {
  const answers = new Map<number, number>();
  let isOver = false;
  parentPort?.once("message", () => {
    isOver = true;
  });
  const next = attacks[name];
  if (next === undefined) throw new Error(`There is no attack ${name}.`);
  const one = async () => {
    while (!isOver) {
      const status = await send({ url, key }, next(webhookId));
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: values.concurrent }, one));
  parentPort?.postMessage([...answers].map(([status, count]) => `${status}: ${count}`).join(", "));
}

/** Answers the status; 0 where there was none. */
async function send({ url, key }: Pick<Attack, "url" | "key">, { method, path, body }: Ask) {
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

async function measure({ url, key, receiver, pay }: Measured, forMs: number) {
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
  return { p50: percentile(latencies, 0.5), p99: percentile(late, 0.99), refused };
}

function percentile(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
