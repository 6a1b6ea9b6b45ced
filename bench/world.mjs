// What the delivery benchmarks share: a fresh PostgreSQL and Redis, a daemon with the roles that deliver, businesses,
// and notifications written as the ledger writes them. Everything ends with `end`.
import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "../scripts/prepare.mjs";

prepare();
const { openEmbeddedPostgres, removeEmbeddedPostgres } = await import(
  "../dist/development/postgres/embedded-postgres.js"
);
const { freePort } = await import("../dist/development/process/free-port.js");
const { createApp } = await import("../dist/app/app.js");
const { loadConfig } = await import("../dist/config/load-config.js");
const { openLedger } = await import("../dist/app/open-ledger.js");
const { encryptSecret, newWebhookSecret } = await import("../dist/domain/delivery/secret.js");

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export async function openWorld() {
  const dataDir = await mkdtemp(join(tmpdir(), "chainbell-bench-"));
  let postgres = await openEmbeddedPostgres({ dataDir, settings: {}, log: silent });
  const redisPort = await freePort();
  const startRedis = () => spawnRedis(redisPort);
  let redis = startRedis();
  const chains = [
    { name: "none", chain_id: 1, rpc: ["http://127.0.0.1:1"], native_asset: { code: "ETH" } },
  ];
  const allow = [
    { cidr: "127.0.0.0/8", ports: Array.from({ length: 16 }, (_, i) => 19_100 + i), http: true },
  ];
  const encryptionKey = randomBytes(32);

  /** What a daemon is started with. `name` tells those of other configurations apart. */
  async function environmentOf({ name = "chainbell", databaseUrl, queue, webhooks } = {}) {
    const config = join(dataDir, `${name}.yaml`);
    await writeFile(config, JSON.stringify({ chains, queue, webhooks: { allow, ...webhooks } }));
    return {
      CHAINBELL_CONFIG: config,
      DATABASE_URL: databaseUrl ?? postgres.databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      CHAINBELL_ENCRYPTION_KEY: encryptionKey.toString("base64"),
      CHAINBELL_ROLES: "relay,dispatcher",
    };
  }

  return {
    receiverPort: 19_100,
    encryptionKey,
    dataDir,
    adminUrl: postgres.adminUrl,
    environmentOf,
    async openDaemon(own = {}) {
      const environment = await environmentOf(own);
      const ledger = await openLedger(await loadConfig(environment, dataDir), silent, {
        needs: "daemon",
        patience: null,
      });
      const app = createApp({ ...ledger, log: silent, version: "bench" });
      await app.start();
      return {
        db: ledger.db,
        environment,
        stop: async () => {
          await app.stop();
          await ledger.close();
        },
      };
    },
    redisPort,
    /** Stops PostgreSQL and starts it again on the same port and data. */
    async restartPostgres() {
      await postgres.close();
      postgres = await openEmbeddedPostgres({ dataDir, settings: {}, log: silent });
    },
    killRedis: () => redis.kill("SIGKILL"),
    reviveRedis() {
      redis = startRedis();
    },
    async end() {
      redis.kill("SIGKILL");
      await postgres.close();
      await removeEmbeddedPostgres(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function spawnRedis(port) {
  const settings = { save: "", appendonly: "no", "maxmemory-policy": "noeviction" };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return spawn("redis-server", ["--port", String(port), ...flags], { stdio: "ignore" });
}

/** A verified business that is notified at the URL. Its secret is told to who has to sign like us. */
export async function insertBusiness(db, world, url) {
  const id = randomUUID();
  await db.business.create({ data: { id, name: "bench", verifiedAt: new Date() } });
  const secret = newWebhookSecret();
  const webhookId = randomUUID();
  await db.webhook.create({
    data: {
      id: webhookId,
      businessId: id,
      url,
      secretCiphertext: encryptSecret(world.encryptionKey, secret),
    },
  });
  return { id, webhookId, url, secret };
}

/** Notifications with their deliveries, `count` for each of the businesses, as one ledger commit writes them. */
export async function insertNotifications(db, businesses, count) {
  const rows = businesses.flatMap(({ id, webhookId }) =>
    Array.from({ length: count }, () => ({
      id: randomUUID(),
      delivery: randomUUID(),
      business: id,
      webhook: webhookId,
    })),
  );
  await db.$executeRaw`
    WITH r AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(id uuid, delivery uuid, business uuid, webhook uuid)
    ), told AS (
      INSERT INTO notification (id, business_id, state, event, body)
      SELECT id, business, 'confirmed', 'transaction.deposit',
        json_build_object('id', id, 'event', 'transaction.deposit', 'at', extract(epoch FROM clock_timestamp()) * 1000)::text
      FROM r
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id) SELECT delivery, id, business, webhook FROM r`;
  await db.$executeRaw`SELECT pg_notify('chainbell_outbox', '')`;
}

/** One row a median, one a tail, of numbers in ms. */
export function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) =>
    Math.round(
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN,
    );
  return { p50: at(0.5), p99: at(0.99) };
}
