// How far one endpoint that refuses some of its requests at random, by status 429, keeps a chain
// back: blocks are mined as on Ethereum, and a daemon watches a wallet that each of them pays.
// Prints the share of blocks that were written before the next one came, the share written by the
// end, and the seconds until all are written once nothing is refused any more. Fails where one of
// them misses its goal, or a payment is lost. Three shares take a quarter of an hour.
// Usage: node scripts/run.mjs throttled [--seconds 300] [--seed 1] [--percent 10] [--every 12]
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startAnvil } from "../../test/support/chain/anvil.ts";
import { payer, shownWallet } from "../../test/support/chain/cast.ts";
import { startRpcProxy } from "../../test/support/chain/rpc-proxy.ts";
import { inCheckout } from "../../test/support/checkout.ts";
import { startReceiver } from "../../test/support/delivery/receiver.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { startDaemonProcess } from "../../test/support/process/daemon-process.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createRandom } from "../../test/support/random.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { numberOptions } from "./number-options.ts";

/** `every`: seconds between two blocks. `percent` 0: each share that has a goal. */
const values = numberOptions({ seconds: 300, seed: 1, percent: 0, every: 12 });
const blockMs = values.every * 1_000;
/** What must be kept as it is mined, by the percentage that is refused. */
const goals: Record<number, number> = { 10: 0.9, 25: 0.75, 50: 0.5 };
const caughtUpWithinMs = 30_000;

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const { open, end } = createResources();
  try {
    const cluster = await open(openCluster({}), (one) => one.end());
    const percents = values.percent === 0 ? Object.keys(goals).map(Number) : [values.percent];
    let isGood = true;
    for (const percent of percents) {
      const database = await cluster.createDatabase(`throttled_${percent}`);
      isGood = (await watchRefused(percent, database)) && isGood;
    }
    return isGood;
  } finally {
    await end();
  }
}

async function watchRefused(percent: number, databaseUrl: string): Promise<boolean> {
  const { open, onEnd, end } = createResources();
  try {
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const proxy = await open(startRpcProxy(anvil.rpcUrl), (one) => one.stop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    const daemon = await startDaemonProcess(
      deploymentOf({
        databaseUrl,
        redisUrl: null,
        receiverPorts: [receiver.port],
        chains: [{ name: "anvil", rpcUrl: proxy.url, confirmations: 2, pollMs: null }],
      }),
      {
        program: [inCheckout("dist", "bin", "main.js")],
        environment: { NODE_ENV: "production" },
        log: "collected",
        isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
      },
    );
    onEnd(() => daemon.kill());
    await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [shownWallet],
      receiver: { url: receiver.url },
    });
    const db = new pg.Client({ connectionString: databaseUrl });
    await db.connect();
    onEnd(() => db.end());
    const position = async () => {
      const { rows } = await db.query<{ at: string | null }>(
        "SELECT position_number AS at FROM chain",
      );
      return Number(rows[0]?.at ?? -1);
    };
    const began = await anvil.blockNumber();
    await waitFor(async () => (await position()) >= began, {
      what: "the start",
      timeoutMs: 60_000,
    });

    const random = createRandom(values.seed);
    proxy.misbehave(() =>
      random.upTo(100) < percent ? { status: 429, text: "Too Many Requests" } : null,
    );
    let inTime = 0;
    const blocks = Math.round((values.seconds * 1_000) / blockMs);
    for (let block = 1; block <= blocks; block += 1) {
      const minedMs = Date.now();
      await anvil.sendNative({ from: payer, to: shownWallet, amountAtomic: BigInt(block) });
      const left = blockMs - (Date.now() - minedMs);
      await sleep(left);
      if ((await position()) >= began + block) inTime += 1;
    }
    const written = Math.min(blocks, (await position()) - began);
    proxy.misbehave(null);
    const endedMs = Date.now();
    await anvil.mine(2);
    await waitFor(async () => (await position()) >= began + blocks + 2, {
      what: "the last block",
      timeoutMs: 600_000,
    });
    const caughtUpMs = Date.now() - endedMs;
    const paid = async () => {
      const { rows } = await db.query<{ n: number }>(
        "SELECT count(*)::int AS n FROM transaction WHERE status = 'completed'",
      );
      return rows[0]?.n ?? 0;
    };
    await waitFor(async () => (await paid()) === blocks, {
      what: "every payment",
      timeoutMs: 60_000,
    });
    await daemon.stop();
    const share = inTime / blocks;
    console.log(
      `${percent} % refused: ${inTime} of ${blocks} blocks before the next one came (${share.toFixed(2)}), ` +
        `${written} by the end, caught up after ${(caughtUpMs / 1_000).toFixed(1)} s, ${await paid()} payments`,
    );
    return share >= (goals[percent] ?? 0) && caughtUpMs <= caughtUpWithinMs;
  } finally {
    await end();
  }
}
