// What a transaction costs the database over its life: blocks of deposits are committed, confirmed,
// announced and delivered by the daemon's own statements. Prints each table's bytes a row, how many
// of its updates were HOT, and what comes of it at ten million and at a billion transactions.
// Autovacuum looks every five seconds instead of every minute, because everything happens at many
// times the usual rate.
// Usage: node scripts/run.mjs sizes [--transactions 50000] [--wallets 2000] [--sql "ALTER TABLE …"]
import { parseArgs } from "node:util";
import pg from "pg";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi, withRoles } from "../process/with-api.ts";
import { openReceivers } from "../support/delivery/receivers.ts";
import { historyChains, usdcOfEthereum } from "../support/ledger/fill-history.ts";
import { randomAddress } from "../support/random-address.ts";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "50000" },
    wallets: { type: "string", default: "2000" },
    /** Run before the first block: to see what a setting of a table changes. */
    sql: { type: "string", default: "SELECT 1" },
  },
});
const transfers = 100;
const blocks = Math.ceil(Number(values.transactions) / transfers);
const count = blocks * transfers;
/** Wallets of one request. */
const atOnce = 500;
const deliveredWithinMs = 300_000;

type Row = { name: string } & Record<
  "rows" | "heap" | "indexes" | "updates" | "hot" | "dead",
  number
>;

const sizesSql = `
  SELECT relname AS name, n_live_tup::float8 AS rows, n_dead_tup::float8 AS dead,
    (pg_table_size(relid))::float8 AS heap, (pg_indexes_size(relid))::float8 AS indexes,
    n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot
  FROM pg_stat_user_tables WHERE schemaname = 'public' AND n_live_tup > 0
  ORDER BY pg_total_relation_size(relid) DESC`;

const { open, end } = createResources();
try {
  const cluster = await open(
    openCluster({ max_wal_size: "4GB", autovacuum_naptime: "5s" }),
    (one) => one.end(),
  );
  const receivers = await open(openReceivers({ count: 1, answerAfterMs: 0 }), (one) => one.end());
  const databaseUrl = await cluster.createDatabase("sizes");
  const deployment = deploymentOf({
    databaseUrl,
    redisUrl: null,
    receiverPorts: [...receivers.ports],
    chains: historyChains,
    webhooks: { in_flight: 200 },
  });
  await addWallets(deployment, receivers.urls[0] ?? "");
  const db = new pg.Client({ connectionString: databaseUrl });
  await open(db.connect(), () => db.end());
  await begin(db);
  await deliver(deployment, db);
  await db.query("ANALYZE");
  await print(db);
} finally {
  await end();
}

async function addWallets(deployment: Deployment, url: string): Promise<void> {
  await withApi(ourBuild, deployment, async (daemon) => {
    const none = { blockchain: "ethereum", addresses: [] };
    const { businessId } = await createCustomer({ ...daemon, ...none, receiver: { url } });
    for (let left = Number(values.wallets); left > 0; left -= atOnce) {
      const wallets = Array.from({ length: Math.min(left, atOnce) }, () => ({
        blockchain: "ethereum",
        address: randomAddress(),
      }));
      await daemon.admin.post(`/admin/businesses/${businessId}/wallets`, { wallets });
    }
  });
}

/** The chain has begun, and every opening is known. */
async function begin(db: pg.Client): Promise<void> {
  await db.query(
    `UPDATE chain SET position_number = 1, head_number = 1, confirmed_number = 1,
      position_hash = '0x' || repeat('c', 64), position_time = now()`,
  );
  await db.query("UPDATE balance SET opening = 0");
  await db.query(values.sql);
  await db.query("VACUUM ANALYZE");
  await db.query("SELECT pg_stat_reset()");
}

/** Commits block after block while what they announce is delivered. The last one stays pending. */
async function deliver(deployment: Deployment, db: pg.Client): Promise<void> {
  const isReady = async () => true;
  const delivering = withRoles(deployment, "relay,dispatcher");
  const daemon = await startDaemon(ourBuild, delivering, { isReady });
  const { databaseUrl } = deployment.settings;
  const given = { databaseUrl, chainName: "ethereum", token: usdcOfEthereum, transfers };
  const program = await startProgram("commit-blocks", given);
  try {
    await program.ask({ blocks });
    const delivered = "SELECT count(*)::int AS n FROM delivery WHERE status = 'delivered'";
    const due = count - transfers;
    await waitFor(async () => (await db.query<{ n: number }>(delivered)).rows[0]?.n === due, {
      what: `${due} deliveries`,
      timeoutMs: deliveredWithinMs,
    });
  } finally {
    await program.stop();
    await daemon.stop();
  }
}

async function print(db: pg.Client): Promise<void> {
  const { rows } = await db.query<Row>(sizesSql);
  console.log(
    `${count.toLocaleString("en")} transactions to ${values.wallets} wallets; ${values.sql}\n`,
  );
  console.log("| table | rows | bytes a row | of them indexes | updates | of them HOT | dead |");
  console.log("|---|---|---|---|---|---|---|");
  for (const { name, rows: live, heap, indexes, updates, hot, dead } of rows) {
    const hotShare = updates === 0 ? "" : `${Math.round((100 * hot) / updates)} %`;
    const bytes = [(heap + indexes) / live, indexes / live].map(Math.round).join(" | ");
    console.log(`| ${name} | ${live} | ${bytes} | ${updates} | ${hotShare} | ${dead} |`);
  }
  const growing = rows.filter(({ rows: live }) => live > count / 100);
  const bytes = growing.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0) / count;
  console.log(
    `\n${Math.round(bytes)} bytes a transaction: ${gigabytes(bytes * 1e7)} at ten million, ${gigabytes(bytes * 1e9)} at a billion`,
  );
}

function gigabytes(bytes: number): string {
  return `${Math.round(bytes / 1e9).toLocaleString("en")} GB`;
}
