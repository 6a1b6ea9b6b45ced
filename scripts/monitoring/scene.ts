import { ANVIL_ACCOUNTS, startAnvil } from "../../test/support/chain/anvil.ts";
import { payer, shownWallet } from "../../test/support/chain/cast.ts";
import { startRpcProxy } from "../../test/support/chain/rpc-proxy.ts";
import { inCheckout } from "../../test/support/checkout.ts";
import { startReceiver } from "../../test/support/delivery/receiver.ts";
import { startOwnRedis } from "../../test/support/delivery/redis.ts";
import { redisProgram } from "../../test/support/delivery/redis-program.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { startDaemonProcess } from "../../test/support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import type { Resources } from "../../test/support/resources.ts";

export type Scene = Awaited<ReturnType<typeof openScene>>;

const everyMs = 500;
const [, failingWallet = ""] = ANVIL_ACCOUNTS;

/**
 * A deployment in production mode: one process that works and one that only answers, a chain with
 * two endpoints, and deposits all the time to two businesses, the webhook of one of which fails.
 */
export async function openScene({ open, onEnd }: Pick<Resources, "open" | "onEnd">) {
  const anvil = await open(startAnvil({}), (one) => one.stop());
  const endpoint = await open(startRpcProxy(anvil.rpcUrl), (one) => one.stop());
  const [good, bad] = [
    await open(startReceiver(), (one) => one.stop()),
    await open(startReceiver(), (one) => one.stop()),
  ];
  bad.answerAlways({ kind: "status", status: 500 });
  const cluster = await open(openCluster(), (one) => one.end());
  const redis =
    redisProgram() === undefined ? null : await open(startOwnRedis(), (one) => one.kill());
  const deployment = deploymentOf({
    databaseUrl: await cluster.createDatabase("monitoring"),
    redisUrl: redis?.url ?? null,
    receiverPorts: [good.port, bad.port],
    // It is not deactivated, and fails again and again.
    scheduleMs: Array.from({ length: 20 }, () => 1_000),
    chains: [
      {
        name: "anvil",
        rpcUrl: anvil.rpcUrl,
        otherRpcUrls: [endpoint.url],

        confirmations: 2,
        pollMs: 200,
      },
    ],
  });
  const worker = await open(start(deployment, null), (one) => one.kill());
  const api = await open(start(deployment, "api"), (one) => one.kill());
  const blockchain = "anvil";
  await createCustomer({ ...api, blockchain, addresses: [shownWallet], receiver: good });
  await createCustomer({ ...api, blockchain, addresses: [failingWallet], receiver: bad });
  onEnd(payAll(anvil.sendNative, [shownWallet, failingWallet]));
  return {
    ports: [worker, api].map(({ url }) => Number(new URL(url).port)),
    metrics: async () => (await fetch(`${worker.url}/metrics`)).text(),
    received: () => good.requests.length,
    /** The latest block is another one. */
    async reorganise() {
      await anvil.rollback(1);
      await anvil.mine(2);
    },
    breakEndpoint: async () => endpoint.misbehave(() => "drop"),
    /** Null: the queue is in PostgreSQL, and is out of reach when nothing is measured either. */
    breakQueue: redis === null ? null : redis.kill,
    killWorker: worker.kill,
    killApi: api.kill,
  };
}

function start(deployment: Deployment, roles: string | null) {
  const settings = { ...deployment.settings, ...(roles === null ? {} : { roles }) };
  return startDaemonProcess(
    { ...deployment, settings },
    {
      program: [inCheckout("dist", "bin", "main.js")],
      environment: { NODE_ENV: "production" },
      log: "discarded",
      isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
    },
  );
}

/** Pays each of them twice a second. Answers how to end it. */
function payAll(
  send: (transfer: { from: string; to: string; amountAtomic: bigint }) => Promise<unknown>,
  wallets: readonly string[],
): () => Promise<void> {
  let paying: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    paying = paying.then(async () => {
      for (const to of wallets)
        await send({ from: payer, to, amountAtomic: 1n }).catch(() => undefined);
    });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await paying;
  };
}
