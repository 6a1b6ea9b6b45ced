// The console over 10,000 wallets and a million transactions: how long each page takes until all that it asks for is
// answered, beside what PostgreSQL took for the statements; and what ten open pages cost the daemon.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { stepMs } from "../../test/support/ledger/bulk-history.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { withApi } from "../process/with-api.ts";
import { median } from "../runner/alternate.ts";
import type { BenchOptions, Report } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { fillConsole } from "../support/console/fill-console.ts";
import { type ConsolePage, consolePages, type Known } from "../support/console/pages.ts";
import { type Visitor, visit } from "../support/console/visitor.ts";
import { fillHistory, historyChains } from "../support/ledger/fill-history.ts";
import { cpuShare } from "../support/metrics.ts";

const settings = {
  ...{ shared_buffers: "512MB", max_wal_size: "8GB", fsync: "off", synchronous_commit: "off" },
  ...{ shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.track_planning": "on" },
};

const whole = { count: 1_000_000, walletsOnEach: 5_000, rounds: 7, ms: 30_000 };
const quickly = { count: 3_000, walletsOnEach: 50, rounds: 1, ms: 2_000 };

/** Open at once: most of them a business's. */
const kept = [
  ...["Overview", "Overview", "Transactions", "Wallets", "Deliveries", "Webhooks"],
  ...["Chains", "Outbox", "Businesses", "Health"],
];

type Visitors = Record<ConsolePage["of"], Visitor>;

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const amount = quick ? quickly : whole;
  const { open, end } = createResources();
  try {
    const cluster = await open(openCluster(settings), (one) => one.end());
    const databaseUrl = await cluster.createDatabase("console");
    const deployment = deploymentOf({
      ...{ databaseUrl, redisUrl: null, roles: "api", receiverPorts: [], chains: historyChains },
      file: { rate_limit: { per_second: 100_000, burst: 1_000_000 } },
    });
    const firstMs = Date.now() - amount.count * stepMs;
    const owner = await withApi(ourBuild, deployment, async (daemon) => {
      const filled = await fillHistory(daemon, { ...amount, databaseUrl, firstMs, report });
      await fillConsole(databaseUrl, filled, report);
      return filled;
    });
    const daemon = await open(startDaemon(ourBuild, deployment), (one) => one.stop());
    const visitors: Visitors = {
      business: await visit(daemon.url, { api_key: owner.key }),
      operator: await visit(daemon.url, { admin_token: deployment.adminToken }),
    };
    const db = new pg.Client({ connectionString: databaseUrl });
    await db.connect();
    await open(Promise.resolve(db), (one) => one.end());
    await db.query("CREATE EXTENSION pg_stat_statements");
    const pages = consolePages(await readKnown(db, visitors.business, owner.businessId));
    const lines: Line[] = [];
    for (const page of pages)
      lines.push(await measurePage(page, { visitors, db, rounds: amount.rounds, report }));
    const moving = { db, daemon, visitors, pages, ms: amount.ms, report };
    return [
      ...lines,
      await measureOpen(moving, "nothing is paid"),
      await measureOpen(moving, "a payment every ten seconds"),
    ];
  } finally {
    await end();
  }
}

async function readKnown(db: pg.Client, visitor: Visitor, businessId: string): Promise<Known> {
  const { rows } = await db.query<
    Omit<Known, "cursors" | "businessId" | "since"> & { since: Date }
  >(
    `SELECT t.id AS "transactionId", t.wallet_id AS "walletId", t.tx_hash AS "txHash", n.id AS "notificationId",
      (SELECT GREATEST(min(time) + interval '1 minute', now() - interval '7 days') FROM block) AS since
    FROM notification n JOIN transaction t ON t.id = n.transaction_id
    WHERE n.business_id = $1::uuid ORDER BY n.created_at DESC OFFSET 500 LIMIT 1`,
    [businessId],
  );
  const [one] = rows;
  if (one === undefined) throw new Error("Nothing was filled in.");
  const [transactions, notifications] = await Promise.all([
    cursorOf(visitor, "/transactions"),
    cursorOf(visitor, "/notifications"),
  ]);
  return {
    ...one,
    since: one.since.toISOString(),
    businessId,
    cursors: { transactions, notifications },
  };
}

/** Of a page some thousand rows down. */
async function cursorOf(visitor: Visitor, path: string): Promise<string> {
  let cursor: string | null = null;
  for (let page = 0; page < 20; page += 1) {
    const after: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { next_cursor } = (await visitor.get(`${path}?limit=100${after}`)) as {
      next_cursor: string | null;
    };
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return cursor ?? "";
}

type Measured = { visitors: Visitors; db: pg.Client; rounds: number; report: Report };

async function measurePage(
  page: ConsolePage,
  { visitors, db, rounds, report }: Measured,
): Promise<Line> {
  const visitor = visitors[page.of];
  await visitor.open(page);
  const tookMs: number[] = [];
  const statementsMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await db.query("SELECT pg_stat_statements_reset()");
    tookMs.push(await visitor.open(page));
    const { rows } = await db.query<{ ms: number }>(
      `SELECT COALESCE(sum(total_exec_time + total_plan_time), 0)::float8 AS ms FROM pg_stat_statements
      WHERE query NOT LIKE '%pg_stat_statements%'`,
    );
    statementsMs.push(rows[0]?.ms ?? 0);
  }
  report(
    `${page.title}: ${median(tookMs).toFixed(1)} ms, statements ${median(statementsMs).toFixed(1)} ms`,
  );
  return lineOf({
    ...{ name: page.title, unit: "ms" },
    ours: median(tookMs),
    baseline: median(statementsMs),
    goal: { oursAtMost: 1_000 },
    conditions: `${page.asks.length} questions at once; baseline: what PostgreSQL took for their statements, one after another`,
  });
}

type Moving = {
  db: pg.Client;
  daemon: { url: string };
  visitors: Visitors;
  pages: readonly ConsolePage[];
  ms: number;
  report: Report;
};

/** What ten open pages cost the daemon, beside the same without any: chains have a block a second. */
async function measureOpen(
  { db, daemon, visitors, pages, ms, report }: Moving,
  what: "nothing is paid" | "a payment every ten seconds",
): Promise<Line> {
  const shown = kept.flatMap((title) => pages.find((page) => page.title === title) ?? []);
  const pays = what !== "nothing is paid";
  const stopping = new AbortController();
  const moving = move(db, pays, stopping.signal);
  try {
    const before = await cpuShare(daemon.url, ms);
    const open = await Promise.all(shown.map((page) => visitors[page.of].keepOpen(page)));
    // What opening them takes is no part of having them open.
    await sleep(Math.min(3_000, ms));
    const beside = await cpuShare(daemon.url, ms);
    const counts = await Promise.all(open.map((page) => page.close()));
    const asked = counts.reduce((sum, count) => sum + count, 0);
    const after = await cpuShare(daemon.url, ms);
    const without = (before + after) / 2;
    report(
      `${what}: ${beside.toFixed(2)} % with ${open.length} pages, ${without.toFixed(2)} % without; ${asked} questions`,
    );
    return lineOf({
      ...{ name: `CPU of ${open.length} open pages, ${what}`, unit: "% of a core" },
      ours: beside - without,
      baseline: beside,
      goal: { oursAtMost: 1 },
      conditions: `${ms / 1_000} s, a block a second, ${asked} questions, the minute's rereading included; baseline: all that the daemon took beside them`,
    });
  } finally {
    stopping.abort();
    await moving;
  }
}

/** A block a second on every chain, and where it pays an attempt and an entry every ten. */
async function move(db: pg.Client, pays: boolean, signal: AbortSignal): Promise<void> {
  for (let second = 0; !signal.aborted; second += 1) {
    await db.query("UPDATE chain SET position_number = position_number + 1, position_time = now()");
    if (pays && second % 10 === 0) await pay(db);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

/** As if the newest entry and the newest attempt came once more. */
async function pay(db: pg.Client): Promise<void> {
  await db.query("SET session_replication_role = replica");
  await db.query(
    `INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT wallet_id, asset_id, transaction_id, kind, amount, block_number FROM ledger_entry ORDER BY id DESC LIMIT 1`,
  );
  await db.query(
    `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms)
    SELECT delivery_id, webhook_id, number + 1, now(), 10 FROM attempt ORDER BY id DESC LIMIT 1`,
  );
}
