// How long the stop of an upgrade takes: the release before fills its ledger from a chain, delivers
// everything, and is ended while deposits go on; then this version starts on what it left. Prints
// the seconds in which nobody sends, and those until what came meanwhile is delivered. Fails where a
// deposit is lost, or a notification is sent twice. Takes about a quarter of an hour, and 8 GB.
// Usage: node scripts/run.mjs upgrade [--transactions 1000000]
import pg from "pg";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { shownWallet } from "../../test/support/chain/cast.ts";
import { inCheckout } from "../../test/support/checkout.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import {
  type DaemonProcess,
  startDaemonProcess,
} from "../../test/support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import { builtRelease } from "../../test/support/release/release.ts";
import { depositEvery } from "../../test/support/release/use.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { deployToken, fill, watchedAddresses } from "../support/chain/transfer-chain.ts";
import { openReceivers, type Receivers } from "../support/delivery/receivers.ts";
import { numberOptions } from "./number-options.ts";

const values = numberOptions({ transactions: 1_000_000 });
/** Half of the hundred transfers of a block. */
const watchedPerBlock = 50;
/** Blocks that are mined before the ledger must have followed. */
const blocksAtOnce = 200;
const confirmations = 2;
const longMs = 3_600_000;
const seconds = (fromMs: number, toMs: number) => ((toMs - fromMs) / 1_000).toFixed(1);

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const { open, onEnd, end } = createResources();
  try {
    const released = await builtRelease();
    const args = ["--order", "fifo", "--prune-history", "64"];
    const anvil = await open(startAnvil({ args }), (one) => one.stop());
    const token = await deployToken(anvil);
    const cluster = await open(openCluster({ max_wal_size: "4GB" }), (one) => one.end());
    const receivers = await open(openReceivers({ count: 1, answerAfterMs: 0 }), (one) => one.end());
    const databaseUrl = await cluster.createDatabase("upgraded");
    const deployment = deploymentFor(databaseUrl, anvil, token.address, receivers);
    const start = async (program: string) => {
      const daemon = await startDaemonProcess(deployment, {
        program: [program],
        environment: { NODE_ENV: "production" },
        log: "collected",
        isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
      });
      onEnd(() => daemon.kill());
      return daemon;
    };
    const old = await start(released);
    await watch(old, receivers.urls[0] ?? "");
    const db = await open(connect(databaseUrl), (one) => one.end());

    const blocks = Math.ceil(values.transactions / watchedPerBlock);
    await anvil.setAutomine(false);
    for (let mined = 0; mined < blocks; mined += blocksAtOnce) {
      const next = Math.min(blocksAtOnce, blocks - mined);
      await fill(anvil, token, { blocks: next, transactionsPerBlock: 1 });
      await anvil.mine(confirmations);
      await followed(db, (await anvil.blockNumber()) - confirmations);
      if ((mined / blocksAtOnce) % 10 === 9) console.log(`${mined + next} of ${blocks} blocks`);
    }
    await anvil.setAutomine(true);

    const deposits = depositEvery(anvil, shownWallet);
    onEnd(() => deposits.stop().catch(() => {}));
    const filled = blocks * watchedPerBlock;
    await waitFor(() => deposits.hashes.length >= 5, { what: "deposits", timeoutMs: longMs });
    const stoppedAtMs = Date.now();
    if ((await old.stop()) !== 0) throw new Error("The older release did not end in order.");
    const endedAtMs = Date.now();
    const before = await attempts(db);
    const ours = await start(inCheckout("dist", "bin", "main.js"));
    const readyAtMs = Date.now();
    const first = async () => (await attempts(db)) > before;
    await waitFor(first, { what: "the first delivery", timeoutMs: longMs });
    const sendingAtMs = Date.now();
    await deposits.stop();
    await anvil.mine(confirmations);
    const all = filled + deposits.hashes.length;
    const { requests } = await receivers.waitFor(all);
    const { rows } = await db.query<{ n: number }>("SELECT count(*)::int AS n FROM transaction");
    const { findings } = await ours.admin.get("/admin/ledger/check");
    await ours.stop();

    const found = rows[0]?.n;
    console.log(
      `${all} deposits: ${found} in the ledger, ${requests} requests, ${findings.length} findings; ` +
        `ended after ${seconds(stoppedAtMs, endedAtMs)} s, ready after ${seconds(endedAtMs, readyAtMs)} s more, ` +
        `the first delivery ${seconds(stoppedAtMs, sendingAtMs)} s after the stop began`,
    );
    return found === all && requests === all && findings.length === 0;
  } finally {
    await end();
  }
}

function deploymentFor(
  databaseUrl: string,
  anvil: Anvil,
  token: string,
  receivers: Receivers,
): Deployment {
  const tokens = [{ code: "BEN", address: token, decimals: 18 }];
  const chain = { name: "anvil", rpcUrl: anvil.rpcUrl, confirmations, tokens };
  return deploymentOf({
    databaseUrl,
    redisUrl: null,
    receiverPorts: [...receivers.ports],
    chains: [{ ...chain, tracing: "off", nativePrice: null, pollMs: 50 }],
    webhooks: { in_flight: 200 },
  });
}

/** A business with the wallets that the blocks pay, and the one that is paid throughout. */
async function watch(daemon: DaemonProcess, url: string): Promise<void> {
  const addresses = [...watchedAddresses.slice(1), shownWallet];
  const [first = ""] = watchedAddresses;
  const customer = await createCustomer({
    ...daemon,
    blockchain: "anvil",
    addresses: [first],
    receiver: { url },
  });
  for (let at = 0; at < addresses.length; at += 500) {
    const wallets = addresses
      .slice(at, at + 500)
      .map((address) => ({ blockchain: "anvil", address }));
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/wallets`, { wallets });
  }
}

/** Once the release before has confirmed the block, and nothing waits to be sent. */
async function followed(db: pg.Client, block: number): Promise<void> {
  const sql = `
    SELECT confirmed_number >= ${block}
      AND NOT EXISTS (SELECT FROM delivery WHERE status = 'waiting' AND attempts = 0)
      AND NOT EXISTS (SELECT FROM delivery WHERE status = 'waiting' AND attempts > 0) AS is_done,
      confirmed_number, (SELECT max(id) FROM attempt) AS attempt
    FROM chain`;
  const isDone = async () => {
    const { rows } = await db.query<{ is_done: boolean; attempt: string }>(sql);
    if (rows[0]?.is_done) return true;
    throw new Error(JSON.stringify(rows[0]));
  };
  await waitFor(isDone, { what: `the deliveries of block ${block}`, timeoutMs: longMs });
}

async function attempts(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ n: number }>("SELECT max(id)::int AS n FROM attempt");
  return rows[0]?.n ?? 0;
}

async function connect(connectionString: string): Promise<pg.Client> {
  const db = new pg.Client({ connectionString });
  await db.connect();
  return db;
}
