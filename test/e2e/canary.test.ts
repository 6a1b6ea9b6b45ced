import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../support/chain/rpc-proxy.ts";
import { inCheckout } from "../support/checkout.ts";
import { startMailServer } from "../support/delivery/mail-server.ts";
import { type Receiver, startReceiver } from "../support/delivery/receiver.ts";
import { type RedisServer, startOwnRedis } from "../support/delivery/redis.ts";
import { hasRedis } from "../support/delivery/with-redis.ts";
import { databaseUrl, overTcp, runSql } from "../support/ledger/databases.ts";
import { createTestDatabase } from "../support/ledger/postgres.ts";
import { createCustomer } from "../support/process/customer.ts";
import { type DaemonProcess, startDaemonProcess } from "../support/process/daemon-process.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";

const timeoutMs = 30_000;

/** A text that occurs nowhere else, and that URLs write in another way than it is. */
const canary = (name: string) => `${name}9/+${randomBytes(8).toString("hex")}`;

describe.runIf(hasRedis)(
  "a daemon with a canary in each of its secrets, whose dependencies all break",
  () => {
    const { open, onEnd, end } = createResources();
    let anvil: Anvil;
    let rpc: RpcProxy;
    let redis: RedisServer;
    let receiver: Receiver;
    let collector: Receiver;
    let daemon: DaemonProcess;
    let asRoot: { database: Client; redis: Redis };
    let role: string;
    let secrets: Record<string, string>;
    /** Everything that anybody could read, and where it was. */
    let seen: { where: string; text: string }[];

    beforeEach(async () => {
      seen = [];
      secrets = {
        database: canary("db"),
        redis: canary("redis"),
        rpcPath: canary("rpc"),
        rpcQuery: canary("query"),
        price: canary("price"),
        alertWebhook: canary("hook"),
        alertSecret: `whsec_${randomBytes(32).toString("base64")}`,
        slack: canary("slack"),
        mail: canary("mail"),
        collector: canary("collector"),
      };
      const adminUrl = inject("postgresAdminUrl");
      anvil = await open(startAnvil({}), (one) => one.stop());
      rpc = await open(startRpcProxy(anvil.rpcUrl), (one) => one.stop());
      redis = await open(startOwnRedis(), (one) => one.stop());
      receiver = await open(startReceiver(), (one) => one.stop());
      collector = await open(startReceiver(), (one) => one.stop());
      // It repeats what it was sent, as some do in their errors.
      collector.answerAlways({ kind: "status", status: 401, body: secrets["collector"] ?? "" });
      const prices = await open(startReceiver(), (one) => one.stop());
      // So does the price source, with its own URL.
      prices.answerAlways({
        kind: "handler",
        handle: ({ path }, response) =>
          void response.end(JSON.stringify({ coins: `no such page: ${path}` })),
      });
      const mail = await open(
        startMailServer({ user: "mailer", pass: "another one", isSecure: false }),
        (one) => one.stop(),
      );
      const database = await open(createTestDatabase(), (one) => one.drop());
      role = `canary_${randomBytes(6).toString("hex")}`;
      await runSql(
        adminUrl,
        `CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${secrets["database"]}'`,
      );
      onEnd(() => runSql(adminUrl, `DROP ROLE IF EXISTS ${role}`));
      const url = overTcp(database.url);
      url.username = role;
      url.password = encodeURIComponent(secrets["database"] ?? "");
      const cache = new Redis(redis.url);
      await cache.call("CONFIG", "SET", "requirepass", secrets["redis"] ?? "");
      const rootDatabase = new Client({
        connectionString: databaseUrl(adminUrl, url.pathname.slice(1)),
      });
      await rootDatabase.connect();
      onEnd(() => rootDatabase.end());
      asRoot = { database: rootDatabase, redis: cache };
      // It is over for long, so that the first look alerts of that: by a URL where nobody listens,
      // to one that repeats what it is asked, and to a mail server that repeats the password.
      await rootDatabase.query(
        `INSERT INTO alert (kind, subject, summary, since, seen_at, notified_at, gone_since)
         SELECT 'ChainbellChainStopped', 'none', 'It was.', t, now(), t, t FROM (SELECT now() - interval '1 hour' AS t) AS hour`,
      );
      const secretPath = (name: string) => encodeURIComponent(secrets[name] ?? "");
      const deployment = deploymentOf({
        // The second one is never there: what is said of it is logged.
        databaseUrl: url.href.replace(url.host, `${url.host},127.0.0.1:1`),
        redisUrl: `redis://default:${encodeURIComponent(secrets["redis"] ?? "")}@127.0.0.1:${redis.port}`,
        chains: [
          {
            name: "anvil",
            rpcUrl: `${rpc.url}/v3/${encodeURIComponent(secrets["rpcPath"] ?? "")}?apikey=${encodeURIComponent(secrets["rpcQuery"] ?? "")}`,
            confirmations: 1,
            nativePrice: { http: "coingecko:ethereum" },
          },
        ],
        receiverPorts: [receiver.port],
        scheduleMs: [0, 50, 50, 50],
        file: {
          alerts: {
            webhook: {
              url: `http://127.0.0.1:1/${secretPath("alertWebhook")}?token=${secretPath("alertWebhook")}`,
              secret: secrets["alertSecret"],
            },
            slack: { url: `http://127.0.0.1:${prices.port}/services/${secretPath("slack")}` },
            smtp: {
              url: mail.url.replace(/\/\/.*@/, `//mailer:${secretPath("mail")}@`),
              from: "chainbell@example.com",
              to: ["ops@example.com"],
            },
          },
          prices: {
            refresh: "1s",
            http: {
              url: `http://127.0.0.1:${prices.port}/${encodeURIComponent(secrets["price"] ?? "")}`,
            },
          },
        },
      });
      secrets["encryptionKey"] = deployment.encryptionKey;
      secrets["adminToken"] = deployment.adminToken;
      daemon = await startDaemonProcess(deployment, {
        program: [inCheckout("scripts", "run.mjs"), "main"],
        environment: {
          LOG_LEVEL: "trace",
          DATABASE_READ_URL: deployment.settings.databaseUrl,
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
          OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(`Bearer ${secrets["collector"]}`)}`,
        },
        log: "collected",
        isReady: async ({ url, output }) =>
          (await fetch(`${url}/health/ready`)).ok && output().includes("daemon.ready"),
        onWritten: (text) => seen.push({ where: "log", text }),
      });
      onEnd(() => daemon.kill());
      onEnd(async () => cache.disconnect());
    });

    afterEach(end);

    /** What an anonymous caller, an operator and a business are answered at this moment. */
    async function look(key: string): Promise<void> {
      const asked: [string, Record<string, string>][] = [
        ["/health", {}],
        ["/health/ready", {}],
        ["/metrics", {}],
        ["/balance", { "x-api-key": key }],
        ["/webhooks", { "x-api-key": key }],
        ["/webhooks/nothing", { "x-api-key": key }],
        ["/admin/status", { authorization: `Bearer ${secrets["adminToken"]}` }],
        ["/admin/webhooks", { authorization: `Bearer ${secrets["adminToken"]}` }],
      ];
      for (const [path, headers] of asked) {
        const response = await fetch(`${daemon.url}${path}`, { headers });
        seen.push({ where: path, text: JSON.stringify([...response.headers]) });
        seen.push({ where: path, text: await response.text() });
      }
    }

    async function ready(isReady: boolean, what: string): Promise<void> {
      await waitFor(async () => (await fetch(`${daemon.url}/health/ready`)).ok === isReady, {
        what,
        timeoutMs,
      });
    }

    async function breakRpc(key: string): Promise<void> {
      const asked = `https://rpc.example/v3/${secrets["rpcPath"]}?apikey=${encodeURIComponent(secrets["rpcQuery"] ?? "")}`;
      const answers = [
        { error: { code: -32_000, message: `${asked} is out of credits` } },
        { error: { code: -32_005, message: `too many requests for ${secrets["rpcPath"]}` } },
        { whole: `${asked}: no such key ${secrets["rpcQuery"]}` },
        { status: 401, headers: { "x-asked": encodeURIComponent(asked) } },
        { result: asked },
      ] as const;
      for (const answer of answers) {
        const before = rpc.calls.length;
        rpc.misbehave(() => answer);
        await waitFor(() => rpc.calls.length > before + 1, {
          what: "endpoint's errors",
          timeoutMs,
        });
        await look(key);
      }
      await ready(false, "the daemon to notice");
      await look(key);
      rpc.misbehave(null);
      await ready(true, "the endpoint to be believed again");
    }

    async function breakRedis(key: string): Promise<void> {
      const { redis: cache } = asRoot;
      // What repeats itself is logged once a minute; each time is counted.
      const count = async () => {
        const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
        const [, counted] =
          /^chainbell_warnings_total\{.*"queue\.error".*\} (\d+)$/m.exec(metrics) ?? [];
        return Number(counted ?? 0);
      };
      const broken = async (what: string) => {
        const before = await count();
        await cache.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await waitFor(async () => (await count()) > before, { what, timeoutMs });
        await look(key);
      };
      // A killed client alone comes back without a word.
      await cache.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await look(key);
      await cache.call("CONFIG", "SET", "requirepass", "another password");
      await broken("a wrong password to be logged");
      await cache.call("CONFIG", "SET", "requirepass", secrets["redis"] ?? "");
      await cache.call("ACL", "SETUSER", "default", "off");
      await broken("a user that is switched off to be logged");
      await cache.call("ACL", "SETUSER", "default", "on");
      await ready(true, "the queue to work again");
    }

    async function breakPostgres(key: string): Promise<void> {
      const { database } = asRoot;
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`;
      const broken = async (sql: string) => {
        await database.query(sql);
        await database.query(end);
        await waitFor(
          async () =>
            (await fetch(`${daemon.url}/balance`, { headers: { "x-api-key": key } })).status ===
            503,
          {
            what: `503 after ${sql.slice(0, 30)}`,
            timeoutMs,
          },
        );
        await look(key);
      };
      await broken(`ALTER ROLE ${role} PASSWORD 'another'`);
      await database.query(`ALTER ROLE ${role} PASSWORD '${secrets["database"]}'`);
      await broken(`ALTER ROLE ${role} NOLOGIN`);
      await database.query(`ALTER ROLE ${role} LOGIN`);
      await ready(true, "the database to work again");
    }

    async function readStores(): Promise<void> {
      const { database, redis: cache } = asRoot;
      const tables = await database.query(
        "SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')",
      );
      for (const { name } of tables.rows) {
        const { rows } = await database.query(`SELECT t::text AS row FROM ${name} t`);
        seen.push({ where: name, text: rows.map(({ row }) => row).join("\n") });
      }
      for (const key of await cache.keys("*")) {
        seen.push({ where: `redis ${key}`, text: key });
        seen.push({
          where: `redis ${key}`,
          text: (await cache.dumpBuffer(key))?.toString("latin1") ?? "",
        });
      }
    }

    it("shows none of them in a log line, an answer, a metric, the queue or the database", async () => {
      const customer = await createCustomer({
        ...daemon,
        blockchain: "anvil",
        addresses: [wallet],
        receiver,
      });
      // In answers to their owner these two have their place, once.
      secrets["apiKey"] = customer.key;
      secrets["webhookSecret"] = customer.secret;
      receiver.answerAlways({
        kind: "status",
        status: 500,
        body: `it was ${customer.secret.slice(0, 4)}`,
      });
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
      await receiver.waitForCount(2);
      await look(customer.key);
      await breakRpc(customer.key);
      await breakRedis(customer.key);
      await breakPostgres(customer.key);
      const complaints = ["price.failed", "alert.sent", "alert.not_sent"];
      await waitFor(
        () => complaints.every((word) => seen.some(({ text }) => text.includes(word))),
        { what: "the price source and the channels of alerts to be complained about", timeoutMs },
      );
      await collector.waitForCount(1);
      await readStores();
      await daemon.stop();

      // Chunks of the log are cut anywhere, so it is searched as a whole.
      const log = seen
        .filter(({ where }) => where === "log")
        .map(({ text }) => text)
        .join("");
      const places = [...seen.filter(({ where }) => where !== "log"), { where: "log", text: log }];
      const found = Object.entries(secrets).flatMap(([name, secret]) =>
        [
          secret,
          encodeURIComponent(secret),
          Buffer.from(secret).toString("base64"),
          secret.slice(0, 16),
        ]
          .flatMap((form) => places.filter(({ text }) => text.includes(form)))
          .map(({ where }) => `${name} in ${where}`),
      );
      expect([...new Set(found)]).toEqual([]);
      // It did look: each of these was complained about.
      const words = ["queue.error", "endpoint", "database", "no login for [redacted]"];
      for (const word of [...words, "spans.dropped"]) expect(log).toContain(word);
    });
  },
);
