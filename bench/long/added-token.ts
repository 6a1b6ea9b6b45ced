// A business with very many wallets, and a token that is added while deposits go on: its balances
// are opened in the background, for each of the wallets. In the middle the daemon is killed.
// Usage: node scripts/run.mjs added-token [--quick] [--wallets 1000000] [--every 500] [--blocks 120]
// Prints p50 and p99 from a block to its notification, before and after the opening and beside it,
// and how long the opening took. Ends with status 1 where the p99 beside it is more than 1.5 times
// the quiet one, or where a deposit or an opening is missing.
import pg from "pg";
import { ANVIL_ACCOUNTS } from "../../test/support/chain/anvil.ts";
import { installMulticall } from "../../test/support/chain/multicall.ts";
import { deployToken, type TestToken } from "../../test/support/chain/token.ts";
import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import type { Deployment } from "../../test/support/process/deployment.ts";
import { runCli } from "../../test/support/process/run-cli.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { type Pace, type PacedPayments, sendAtPace } from "../support/pace.ts";
import { openPayments } from "../support/payments.ts";
import { numberOptions } from "./number-options.ts";

const values = numberOptions(
  { wallets: 1_000_000, every: 500, blocks: 120 },
  { wallets: 20_000, every: 250, blocks: 20 },
);
const allowed = 1.5;
const perBlock = 2;
const pace: Pace = { everyMs: values.every, ours: () => perBlock, others: 0, moving: "token" };
/** The daemon is killed once so many of the balances are made. */
const killedAt = 0.4;

type World = {
  payments: PacedPayments;
  db: pg.Client;
  deployment: Deployment;
  daemon: DaemonProcess;
  /** The token that is added, of which one wallet is paid in each round. */
  added: TestToken;
  paid: { deposits: number; added: number };
};

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const payments = await openPayments("head-receiver", ({ anvil }) => ({ wsUrl: anvil.wsUrl }));
  try {
    await payments.anvil.setAutomine(true);
    // As on nearly every chain.
    await installMulticall(payments.anvil);
    const added = await deployToken(payments.anvil);
    // The account that mints has deployed it: that nonce is used.
    payments.nextMint();
    await payments.anvil.setAutomine(false);
    const served = await payments.serve({
      build: ourBuild,
      name: "added_token",
      queue: "redis",
      chain: { rpcUrl: payments.anvil.wsUrl, confirmations: 1, tracing: "off" },
      webhooks: {},
    });
    const db = new pg.Client({ connectionString: served.databaseUrl });
    await db.connect();
    const paid = { deposits: 0, added: 0 };
    const world: World = { payments, db, ...served, added, paid };
    try {
      await payments.anvil.mine(3);
      await timed(`${values.wallets} wallets written`, () => plantWallets(world));
      return await measure(world);
    } finally {
      await db.end();
      await world.daemon.stop();
    }
  } finally {
    await payments.end();
  }
}

async function measure(world: World): Promise<boolean> {
  await drive(world, 20);
  const quiet = await drive(world, values.blocks);
  print("quiet, before", quiet);
  const token = { ...world.added.asset, code: "ADD" };
  const { settings } = world.deployment;
  const chains = settings.chains.map((one) => ({ ...one, tokens: [...(one.tokens ?? []), token] }));
  world.deployment = { ...world.deployment, settings: { ...settings, chains } };
  await timed("config apply", async () => {
    const { status, stderr } = await runCli(world.deployment, "config", "apply");
    if (status !== 0) throw new Error(`config apply ended with ${status}: ${stderr}`);
  });
  const beganMs = performance.now();
  const beside: number[] = [];
  let isKilled = false;
  for (let left = await leftOf(world); left.openings > 0; left = await leftOf(world)) {
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(0);
    console.log(
      `${seconds} s: ${left.opened} of ${left.wallets} made, ${left.openings} to be opened`,
    );
    if (!isKilled && left.opened >= killedAt * left.wallets) {
      isKilled = true;
      await Promise.all([drive(world, 20), killAndRestart(world)]);
      console.log("killed with SIGKILL in the middle, and started again");
      await drive(world, 10);
    } else beside.push(...(await drive(world, 20)));
  }
  const took = (performance.now() - beganMs) / 1_000;
  console.log(`opened in ${took.toFixed(0)} s, ${(values.wallets / took).toFixed(0)} a second`);
  const after = await drive(world, values.blocks);
  print("beside the opening", beside);
  print("quiet, after", after);
  const p99 = percentile([...quiet, ...after], 0.99);
  const ratio = percentile(beside, 0.99) / p99;
  console.log(`p99 beside the opening, by the quiet one: ${ratio.toFixed(2)} (at most ${allowed})`);
  const faults = await faultsOf(world);
  for (const fault of faults) console.log(`FAIL ${fault}`);
  if (!isKilled) console.log("FAIL the opening was over before the kill");
  console.log(faults.length === 0 ? "Nothing lost." : "Something is missing.");
  return faults.length === 0 && isKilled && ratio <= allowed;
}

/** The latencies of so many blocks, in ms; a wallet gets one of the added token too. */
async function drive(world: World, blocks: number): Promise<number[]> {
  const { payments, added, paid } = world;
  const to = payments.wallets[paid.added % payments.wallets.length] ?? "";
  await payments.receiver.ask("take");
  const from = ANVIL_ACCOUNTS[3];
  await payments.anvil.send({ from, to: added.address, data: added.mintData(to, 1n) });
  await sendAtPace(payments, pace, blocks);
  paid.deposits += blocks * perBlock;
  paid.added += 1;
  const { latencies } = await payments.receiver.ask("take");
  return latencies.filter((one) => !Number.isNaN(one));
}

async function killAndRestart(world: World): Promise<void> {
  await world.daemon.kill();
  world.daemon = await startDaemon(ourBuild, world.deployment);
}

/**
 * Beside the customer's own twenty, as if they had been added with them, and hold nothing. The
 * daemon reads them when it starts again.
 */
async function plantWallets(world: World): Promise<void> {
  const { db } = world;
  await world.daemon.stop();
  // What refers to a row exists: it is not looked up for each of them.
  await db.query("SET session_replication_role = replica");
  await db.query(
    `INSERT INTO wallet (id, business_id, chain_name, address, purpose, added_change_id)
    SELECT gen_random_uuid(), business_id, chain_name, '0x' || h || substr(h, 1, 8), 'deposit', added_change_id
    FROM (SELECT md5(i::text) AS h FROM generate_series(1, $1::int) i) a,
      (SELECT * FROM wallet LIMIT 1) w`,
    [values.wallets],
  );
  await db.query(
    `INSERT INTO balance (wallet_id, asset_id, since_change_id, opening, opened_number)
    SELECT w.id, a.id, w.added_change_id, 0, 0 FROM wallet w JOIN asset a ON a.chain_name = w.chain_name
    ON CONFLICT DO NOTHING`,
  );
  await db.query("SET session_replication_role = origin");
  await db.query("UPDATE chain SET watch_version = watch_version + 1");
  await db.query("VACUUM ANALYZE");
  world.daemon = await startDaemon(ourBuild, world.deployment);
}

type Left = { wallets: number; opened: number; openings: number };

/** How far the opening is; the balances that are not made yet are to be opened too. */
async function leftOf({ db }: World): Promise<Left> {
  const { rows } = await db.query<Left>(
    `SELECT a.opening_wallets AS wallets,
      CASE WHEN a.opening_after IS NULL THEN a.opening_wallets ELSE a.opened_wallets END AS opened,
      CASE WHEN a.opening_after IS NULL THEN 0 ELSE a.opening_wallets - a.opened_wallets END
        + (SELECT count(*)::int FROM balance WHERE opening IS NULL) AS openings
    FROM asset a WHERE a.code = 'ADD'`,
  );
  return rows[0] ?? { wallets: 0, opened: 0, openings: 0 };
}

/** Holds the ledger against what was paid: what is missing, in words. */
async function faultsOf({ db, paid, payments }: World): Promise<string[]> {
  await payments.anvil.mine(3);
  // The last blocks have no deliveries before they are read.
  const due = `SELECT (SELECT count(*) FROM delivery WHERE status <> 'delivered')::int
      + (SELECT count(*) FROM chain WHERE confirmed_number < $1)::int AS n`;
  const head = await payments.anvil.blockNumber();
  const left = async () => (await db.query<{ n: number }>(due, [head])).rows[0]?.n;
  const what = "all blocks and deliveries";
  await waitFor(async () => (await left()) === 0, { what, timeoutMs: 60_000 });
  const sql = `
    SELECT count(*) FILTER (WHERE a.code <> 'ADD')::int AS deposits,
      count(*) FILTER (WHERE a.code = 'ADD')::int AS added,
      (SELECT count(*)::int FROM delivery WHERE status = 'delivered') AS delivered,
      (SELECT count(*)::int FROM delivery) AS deliveries,
      (SELECT sum(confirmed)::int FROM balance b JOIN asset n ON n.id = b.asset_id AND n.code = 'ADD') AS held,
      (SELECT count(*)::int FROM balance b JOIN asset n ON n.id = b.asset_id AND n.code = 'ADD') AS balances,
      (SELECT count(*)::int FROM wallet) AS wallets
    FROM transaction t JOIN asset a ON a.id = t.asset_id WHERE t.status = 'completed'`;
  const { rows } = await db.query<Record<string, number>>(sql);
  const found = rows[0] ?? {};
  console.log(`paid ${JSON.stringify(paid)}, in the ledger ${JSON.stringify(found)}`);
  const faults: string[] = [];
  if (found["deposits"] !== paid.deposits)
    faults.push(`${found["deposits"]} deposits of ${paid.deposits}`);
  // What was paid before the token was added is in the openings.
  if (found["held"] !== paid.added) faults.push(`${found["held"]} ADD held of ${paid.added}`);
  if (found["balances"] !== found["wallets"])
    faults.push(`${found["balances"]} balances of ${found["wallets"]} wallets`);
  if (found["delivered"] !== found["deliveries"])
    faults.push(`${found["delivered"]} of ${found["deliveries"]} deliveries`);
  return faults;
}

function print(what: string, latencies: readonly number[]): void {
  const at = (share: number) => percentile(latencies, share).toFixed(1);
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${latencies.length}`);
}

function percentile(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const beganMs = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
}
