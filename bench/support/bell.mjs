import { once } from "node:events";
import pg from "pg";
import { insertBusiness } from "../world.mjs";
import { makeNotifications } from "./bodies.mjs";
import { startDaemon } from "./daemon-process.mjs";

const { loadConfig } = await import("../../dist/config/load-config.js");
const { openLedger } = await import("../../dist/app/open-ledger.js");

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * A Chainbell with a database of its own and businesses that are notified at these URLs. Daemons are started beside it.
 * @param options.queue "redis" or "postgres"
 * @param options.webhooks as in the configuration
 */
export async function openBell(world, { name, queue, urls, ports, webhooks }) {
  const databaseUrl = await createDatabase(world.adminUrl, name);
  const allow = [{ cidr: "127.0.0.0/8", ports, http: true }];
  const environment = await world.environmentOf({
    ...{ name, databaseUrl, queue },
    webhooks: { allow, ...webhooks },
  });
  const config = await loadConfig(environment, world.dataDir);
  const ledger = await openLedger(config, silent, { needs: "database", patience: null });
  const { db } = ledger;
  const businesses = [];
  for (const url of urls) businesses.push(await insertBusiness(db, world, url));
  const daemons = [];

  return {
    businesses,
    /** Starts daemons of these roles, and waits until as many dispatchers have reported as there are then. */
    async start(roles, count = 1) {
      const own = { ...environment, CHAINBELL_ROLES: roles };
      const started = Array.from({ length: count }, () => startDaemon(own));
      daemons.push(
        ...started.map((daemon) => ({ ...daemon, dispatches: /dispatcher/.test(roles) })),
      );
      const dispatchers = daemons.filter(({ dispatches }) => dispatches).length;
      await until(async () => (await db.dispatcher.count()) === dispatchers);
    },
    async stop() {
      await Promise.all(daemons.splice(0).map((daemon) => daemon.stop()));
    },
    /**
     * Notifies every business `count` times and resolves with the deliveries per second, from the commit that made them
     * due to the last one heard. Everything is heard, and on record as delivered, or this rejects.
     */
    async notify(receivers, count) {
      const notifications = makeNotifications(businesses, count);
      await db.business.updateMany({ data: { suspendedAt: new Date() } });
      await insert(db, notifications);
      const heard = receivers.hear(notifications.length);
      const startedAtMs = Date.now();
      await db.business.updateMany({ data: { suspendedAt: null } });
      await db.$executeRaw`SELECT pg_notify('chainbell_outbox', '')`;
      const { lastAtMs, posts } = await heard;
      await until(async () => (await db.delivery.count({ where: { status: "waiting" } })) === 0);
      if (posts !== notifications.length) {
        throw new Error(`${posts} requests for ${notifications.length} notifications`);
      }
      return (notifications.length * 1_000) / (lastAtMs - startedAtMs);
    },
    async close() {
      await this.stop();
      await ledger.close();
    },
  };
}

/** The same work without Chainbell: see post-loop.mjs. */
export async function postLoop(loop, receivers, { businesses, count, concurrency }) {
  const messages = makeNotifications(businesses, count).map(({ id, url, secret, body }) => ({
    ...{ notificationId: id, url, secret, body },
  }));
  const heard = receivers.hear(messages.length);
  const ended = once(loop, "message");
  loop.send({ messages, concurrency });
  const [{ startedAtMs }] = await ended;
  return (messages.length * 1_000) / ((await heard).lastAtMs - startedAtMs);
}

async function createDatabase(adminUrl, name) {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE "${name}"`);
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const rowsAtOnce = 5_000;

/** Notifications with their deliveries, as ledger commits leave them. The planner knows of them, as after a minute. */
async function insert(db, notifications) {
  for (let at = 0; at < notifications.length; at += rowsAtOnce) {
    const rows = notifications.slice(at, at + rowsAtOnce);
    await db.$executeRaw`
      WITH r AS (
        SELECT *, gen_random_uuid() AS delivery FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          AS r(id uuid, "businessId" uuid, "webhookId" uuid, body text)
      ), told AS (
        INSERT INTO notification (id, business_id, state, event, body)
        SELECT id, "businessId", 'confirmed', 'transaction.deposit', body FROM r
      )
      INSERT INTO delivery (id, notification_id, business_id, webhook_id)
      SELECT delivery, id, "businessId", "webhookId" FROM r`;
  }
  await db.$executeRawUnsafe("ANALYZE");
}

const waitAtMostMs = 120_000;

async function until(isTrue) {
  const giveUpAtMs = Date.now() + waitAtMostMs;
  while (!(await isTrue())) {
    if (Date.now() > giveUpAtMs) throw new Error("Chainbell did not come to rest in time.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
