import pg from "pg";
import { stepMs } from "../../../test/support/ledger/bulk-history.ts";
import { type Cluster, openCluster } from "../../../test/support/ledger/cluster.ts";
import type { Deployment } from "../../../test/support/process/deployment.ts";
import type { Resources } from "../../../test/support/resources.ts";
import type { Build } from "../../process/build.ts";
import { withApi } from "../../process/with-api.ts";
import type { Report } from "../../runner/bench.ts";
import { type FilledBusiness, fillHistory, historyDeployment } from "../ledger/fill-history.ts";
import { fillConsole } from "./fill-console.ts";
import { type ConsolePage, consolePages, type Known } from "./pages.ts";
import { type Visitor, visit } from "./visitor.ts";

const settings = {
  shared_buffers: "512MB",
  max_wal_size: "8GB",
  fsync: "off",
  synchronous_commit: "off",

  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_planning": "on",
};

/** A ledger that a console is opened over, for a daemon that only answers. */
export type FilledConsole = { deployment: Deployment; db: pg.Client; owner: FilledBusiness };

type Filling = {
  cluster: Cluster;
  build: Build;
  count: number;
  walletsOnEach: number;
  report: Report;
};

/** A PostgreSQL that counts its statements. */
export function openCountingCluster(): Promise<Cluster> {
  return openCluster(settings);
}

/**
 * Filled by the daemon of a build, for it: a database has the schema of whoever opened it first.
 * Ended with `resources`.
 */
export async function fillForConsole(
  { open }: Pick<Resources, "open">,
  { cluster, build, report, ...amount }: Filling,
): Promise<FilledConsole> {
  const databaseUrl = await cluster.createDatabase(`console of ${build.name}`);
  const deployment = historyDeployment(databaseUrl);
  const firstMs = Date.now() - amount.count * stepMs;
  const owner = await withApi(build, deployment, async (daemon) => {
    const filled = await fillHistory(daemon, { ...amount, databaseUrl, firstMs, report });
    await fillConsole(databaseUrl, filled, report);
    return filled;
  });
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await open(Promise.resolve(db), (one) => one.end());
  await db.query("CREATE EXTENSION pg_stat_statements");
  return { deployment, db, owner };
}

export type Visitors = Record<ConsolePage["of"], Visitor>;

/** Who is signed in at a daemon over it, and the pages there are. */
export async function visitConsole(
  url: string,
  { deployment, db, owner }: FilledConsole,
): Promise<{ visitors: Visitors; pages: ConsolePage[] }> {
  const visitors: Visitors = {
    business: await visit(url, { api_key: owner.key }),
    operator: await visit(url, { admin_token: deployment.adminToken }),
  };
  const known = await readKnown(db, visitors.business, owner.businessId);
  return { visitors, pages: consolePages(known) };
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
