import { randomUUID } from "node:crypto";
import pg from "pg";
import type { DaemonProcess } from "../../../test/support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../../../test/support/process/deployment.ts";
import { createResources } from "../../../test/support/resources.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { Build } from "../../process/build.ts";
import { startDaemon } from "../../process/start-daemon.ts";
import { withApi, withRoles } from "../../process/with-api.ts";
import { readMetric } from "../metrics.ts";
import type { Servers } from "../servers.ts";
import { insertNotifications, makeNotifications, wakeRelay } from "./notifications.ts";
import { addNotifiedBusinesses, type NotifiedBusiness } from "./notified-business.ts";
import type { Receivers } from "./receivers.ts";

export type Queue = "redis" | "postgres";

export type DeliveryOptions = {
  build: Build;
  queue: Queue;
  receivers: Receivers;
  /** The webhooks of each business, at a receiver each. Without it one. */
  webhooksEach?: number;
  /** Further keys of the configuration's `webhooks`. */
  webhooks?: object;
  /** Further variables of its daemons. */
  environment?: Record<string, string>;
};

export type Delivery = Awaited<ReturnType<typeof openDelivery>>;

const settleTimeoutMs = 120_000;

/**
 * A Chainbell that only delivers, with a database of its own and a webhook for each receiver. Its
 * daemons are started and stopped as a benchmark wants them. Whoever opens it ends it.
 */
export async function openDelivery({ cluster, redis }: Servers, options: DeliveryOptions) {
  const { build, queue, receivers, webhooksEach = 1, webhooks = {}, environment = {} } = options;
  const { open, end } = createResources();
  const databaseUrl = await cluster.createDatabase(`delivery_${randomUUID()}`);
  const redisUrl = queue === "redis" ? redis.url : null;
  const deployment = idleDeployment({ databaseUrl, redisUrl, ports: receivers.ports, webhooks });
  const businesses = await withApi(build, deployment, (daemon) =>
    addNotifiedBusinesses(daemon, inLists(receivers.urls, webhooksEach)),
  );
  const db = new pg.Client({ connectionString: databaseUrl });
  await open(db.connect(), () => db.end());
  const count = async (sql: string) => (await db.query<{ n: number }>(sql)).rows[0]?.n;
  const daemons: { daemon: DaemonProcess; dispatches: boolean }[] = [];
  const stop = async () => {
    await Promise.all(daemons.splice(0).map(({ daemon }) => daemon.stop()));
  };
  return {
    businesses,
    /**
     * Starts daemons of these roles, and waits until as many dispatchers have reported as there are
     * then.
     */
    async start(roles: string, processes = 1): Promise<void> {
      const isReady = async () => true;
      const start = () =>
        startDaemon(build, withRoles(deployment, roles), { isReady, environment });
      const started = await Promise.all(Array.from({ length: processes }, start));
      const dispatches = /dispatcher/.test(roles);
      daemons.push(...started.map((daemon) => ({ daemon, dispatches })));
      const due = daemons.filter((one) => one.dispatches).length;
      const reported = () => count("SELECT count(*)::int AS n FROM dispatcher");
      await waitFor(async () => (await reported()) === due, {
        what: `${due} dispatchers`,
        timeoutMs: settleTimeoutMs,
      });
    },
    stop,
    /** What its daemons have counted together, by the name of a metric. */
    async count(metric: string): Promise<number> {
      const counted = await Promise.all(
        daemons.map(({ daemon }) => readMetric(daemon.url, metric)),
      );
      return counted.reduce((sum, one) => sum + one, 0);
    },
    deliver: (each: number) => deliver({ db, businesses, receivers, each }),
    async end(): Promise<void> {
      await stop();
      await end();
    },
  };
}

function inLists(urls: readonly string[], each: number): string[][] {
  const firsts = urls.filter((_url, at) => at % each === 0);
  return firsts.map((_url, at) => urls.slice(at * each, (at + 1) * each));
}

/** Watches a chain that is not there, and serves whatever is written into its database. */
export function idleDeployment(options: {
  databaseUrl: string;
  redisUrl: string | null;
  ports: readonly number[];
  webhooks: object;
}): Deployment {
  const { databaseUrl, redisUrl, ports, webhooks } = options;
  const chain = { name: "none", chainId: 1, rpcUrl: "http://127.0.0.1:1", confirmations: 1 };
  return deploymentOf({
    databaseUrl,
    redisUrl,
    webhooks,
    receiverPorts: [...ports],
    chains: [{ ...chain, nativePrice: null, pollMs: null }],
  });
}

/**
 * Notifies every business `each` times, and answers the deliveries per second, from the commit that
 * made them due to the last one that arrived. Each has arrived once, and is on record as delivered,
 * or this rejects.
 */
async function deliver(given: {
  db: pg.Client;
  businesses: readonly NotifiedBusiness[];
  receivers: Receivers;
  each: number;
}): Promise<number> {
  const { db, businesses, receivers, each } = given;
  const notifications = makeNotifications(businesses, each);
  await db.query("UPDATE business SET suspended_at = now()");
  await insertNotifications(db, notifications);
  // The planner knows of them, as after a minute.
  await db.query("ANALYZE");
  const due = notifications.reduce((sum, { business }) => sum + business.webhooks.length, 0);
  const arrived = receivers.waitFor(due);
  const startedAtMs = Date.now();
  await db.query("UPDATE business SET suspended_at = NULL");
  await wakeRelay(db);
  const { lastAtMs, requests } = await arrived;
  const waiting = "SELECT 1 FROM delivery WHERE status = 'waiting' LIMIT 1";
  await waitFor(async () => (await db.query(waiting)).rowCount === 0, {
    what: "every delivery to be on record",
    timeoutMs: settleTimeoutMs,
  });
  if (requests !== due) throw new Error(`There were ${requests} requests for ${due} deliveries.`);
  return (due * 1_000) / (lastAtMs - startedAtMs);
}
