// What a delivered transaction takes on the disk: in all tables and indexes together, and in the
// log that PostgreSQL writes ahead. Blocks of deposits are committed, confirmed, announced and
// delivered by the daemon's own statements. The floor is the values themselves, as columns keep
// them: no header of a row, no page, no index. Sizes, not times: they hold on a busy machine.
import pg from "pg";
import { type Cluster, openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi, withRoles } from "../process/with-api.ts";
import type { BenchOptions, Report } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { openReceivers } from "../support/delivery/receivers.ts";
import { historyChains, usdcOfEthereum } from "../support/ledger/fill-history.ts";
import { randomAddress } from "../support/random-address.ts";

const ways = [
  { confirmsAtOnce: true, words: "confirmed at once" },
  { confirmsAtOnce: false, words: "pending first" },
] as const;

const whole = { blocks: 500, wallets: 2_000 };
const quickly = { blocks: 5, wallets: 100 };
const transfers = 100;
/** Wallets of one request. */
const atOnce = 500;
const stillForMs = 60_000;

/** Everything happens at many times the usual rate, so autovacuum looks as many times as often. */
const settings = { autovacuum_naptime: "5s", checkpoint_timeout: "1h", max_wal_size: "8GB" };

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const size = quick ? quickly : whole;
  const { open, end } = createResources();
  try {
    const cluster = await open(openCluster(settings), (one) => one.end());
    const receivers = await open(openReceivers({ count: 1, answerAfterMs: 0 }), (one) => one.end());
    const lines: Line[] = [];
    for (const way of ways) {
      const databaseUrl = await cluster.createDatabase(way.words);
      const deployment = deploymentOf({
        databaseUrl,
        redisUrl: null,
        receiverPorts: [...receivers.ports],
        chains: historyChains,
        webhooks: { in_flight: 200 },
      });
      await addWallets(deployment, receivers.urls[0] ?? "", size.wallets);
      lines.push(...(await measure({ cluster, deployment, way, size, report })));
    }
    return lines;
  } finally {
    await end();
  }
}

async function addWallets(deployment: Deployment, url: string, count: number): Promise<void> {
  await withApi(ourBuild, deployment, async (daemon) => {
    const none = { blockchain: "ethereum", addresses: [] };
    const { businessId } = await createCustomer({ ...daemon, ...none, receiver: { url } });
    for (let left = count; left > 0; left -= atOnce) {
      const wallets = Array.from({ length: Math.min(left, atOnce) }, () => ({
        blockchain: "ethereum",
        address: randomAddress(),
      }));
      await daemon.admin.post(`/admin/businesses/${businessId}/wallets`, { wallets });
    }
  });
}

async function measure(of: {
  cluster: Cluster;
  deployment: Deployment;
  way: (typeof ways)[number];
  size: typeof whole;
  report: Report;
}): Promise<Line[]> {
  const { deployment, way, size, report } = of;
  const { databaseUrl } = deployment.settings;
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    await begin(db);
    const { log: before } = await readTotals(db);
    await deliver({ deployment, db, way, blocks: size.blocks });
    await db.query("ANALYZE");
    const { log, values, delivered } = await readTotals(db);
    const bytes = await reportTables(db, delivered, report);
    const conditions = `${size.blocks} blocks of ${transfers} deposits to ${size.wallets} wallets`;
    return [
      lineOf({
        name: `tables and indexes, ${way.words}`,
        unit: "bytes a transaction",
        ours: bytes / delivered,
        baseline: values / delivered,
        goal: { oursAtMost: 2_200 },
        conditions: `${conditions}, delivered to one webhook; bare floor: the values themselves`,
      }),
      lineOf({
        name: `write-ahead log, ${way.words}`,
        unit: "bytes a transaction",
        ours: (log - before) / delivered,
        goal: { oursAtMost: 2_500 },
        conditions: `${conditions}, delivered to one webhook; no checkpoint meanwhile`,
      }),
    ];
  } finally {
    await db.end();
  }
}

/** The chain has begun, and every opening is known. */
async function begin(db: pg.Client): Promise<void> {
  await db.query(
    `UPDATE chain SET position_number = 1, head_number = 1, confirmed_number = 1,
      position_hash = '0x' || repeat('c', 64), position_time = now()`,
  );
  await db.query("UPDATE balance SET opening = 0");
  await db.query("VACUUM ANALYZE");
  await db.query("SELECT pg_stat_reset()");
}

/** Commits block after block while what they announce is delivered. */
async function deliver(of: {
  deployment: Deployment;
  db: pg.Client;
  way: (typeof ways)[number];
  blocks: number;
}): Promise<void> {
  const { deployment, db, way, blocks } = of;
  const isReady = async () => true;
  const delivering = withRoles(deployment, "relay,dispatcher");
  const daemon = await startDaemon(ourBuild, delivering, { isReady });
  const { databaseUrl } = deployment.settings;
  const { confirmsAtOnce } = way;
  const chain = { databaseUrl, chainName: "ethereum", token: usdcOfEthereum };
  const program = await startProgram("commit-blocks", { ...chain, transfers, confirmsAtOnce });
  try {
    await program.ask({ blocks });
    // What is pending first is confirmed by the block after it: the last one stays pending.
    const due = (confirmsAtOnce ? blocks : blocks - 1) * transfers;
    const areThere = async () => {
      const { delivered } = await readTotals(db);
      // What it throws says how far it is: each one more is progress.
      if (delivered < due) throw new Error(`${delivered} of ${due}`);
      return true;
    };
    await waitFor(areThere, { what: `${due} deliveries`, timeoutMs: stillForMs });
  } finally {
    await program.stop();
    await daemon.stop();
  }
}

/** Bytes of the log and of the values in the growing tables, and how many were delivered. */
async function readTotals(db: pg.Client) {
  const sums = growing.map(
    (table) => `(SELECT coalesce(sum(pg_column_size(t.*) - 24), 0) FROM ${table} t)`,
  );
  const { rows } = await db.query<{ log: string; values: string; delivered: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS log, ${sums.join(" + ")} AS values,
      (SELECT count(*) FROM delivery WHERE status = 'delivered') AS delivered`,
  );
  const [row] = rows;
  return {
    log: Number(row?.log),
    values: Number(row?.values),
    delivered: Number(row?.delivered),
  };
}

/** The tables that keep rows of every transaction. */
const growing = [
  "transaction",
  "notification",
  "delivery",
  "ledger_entry",
  "attempt",
  "ledger_seal",
];

type Row = { name: string } & Record<"rows" | "heap" | "updates" | "hot" | "dead", number>;

/** Reports each of them and each of their indexes, and answers the bytes of all. */
async function reportTables(db: pg.Client, count: number, report: Report): Promise<number> {
  const { rows } = await db.query<Row>(
    `SELECT relname AS name, n_live_tup::float8 AS rows, n_dead_tup::float8 AS dead,
      pg_table_size(relid)::float8 AS heap, n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot
    FROM pg_stat_user_tables WHERE relname = ANY($1) ORDER BY heap DESC`,
    [growing],
  );
  const each = (bytes: number) => `${Math.round(bytes / count)} bytes`;
  let all = 0;
  for (const { name, rows: live, heap, updates, hot, dead } of rows) {
    const hotPercent = updates === 0 ? 0 : Math.round((100 * hot) / updates);
    const updated = `${(updates / live).toFixed(2)} updates a row, ${hotPercent} % of them HOT`;
    report(`${name}: ${each(heap)}; ${updated}; ${dead} dead rows`);
    const indexes = await db.query<{ name: string; bytes: number }>(
      `SELECT indexrelname AS name, pg_relation_size(indexrelid)::float8 AS bytes
      FROM pg_stat_user_indexes WHERE relname = $1 ORDER BY bytes DESC`,
      [name],
    );
    for (const index of indexes.rows) report(`  ${index.name}: ${each(index.bytes)}`);
    all += heap + indexes.rows.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  return all;
}
