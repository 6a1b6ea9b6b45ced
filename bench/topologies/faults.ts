import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import { startRpcProxy } from "../../test/support/chain/rpc-proxy.ts";
import { type RedisServer, startOwnRedis } from "../../test/support/delivery/redis.ts";
import { startRedisCluster, startSentinels } from "../../test/support/delivery/redis-topologies.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { startPgBouncer } from "../../test/support/ledger/pgbouncer.ts";
import { openReplicated } from "../../test/support/ledger/replicated.ts";
import { startTcpProxy } from "../../test/support/process/tcp-proxy.ts";
import type { Fault, Ground } from "./fault.ts";

type World = Parameters<Fault["open"]>[0];

/** How far the replica is behind when it becomes the primary. */
const behindMs = 15_000;

const nothing = async () => {};

/** One process with one PostgreSQL, one Redis and one endpoint. */
async function usual(
  { open, anvil }: World,
  databaseUrl: string | null = null,
): Promise<Ground & { redis: RedisServer }> {
  const redis = await open(startOwnRedis(), (one) => one.kill());
  return {
    databaseUrl: databaseUrl ?? (await databaseIn({ open })),
    ...{
      redisUrl: redis.url,
      redis,
      rpcUrl: anvil.rpcUrl,
      otherRpcUrls: [],
      environment: {},
      holds: false,
    },
    ...{ roles: ["watcher,relay,dispatcher,api"], begin: nothing, finish: nothing },
  };
}

async function databaseIn({ open }: Pick<World, "open">): Promise<string> {
  const cluster = await open(openCluster(), (one) => one.end());
  return cluster.createDatabase("topology");
}

/** The same, with a connection of its own to Redis, which stays whoever is locked out. */
async function withRedis(
  world: World,
  of: (redis: Redis) => Pick<Ground, "begin" | "finish">,
): Promise<Ground> {
  const ground = await usual(world);
  const redis = new Redis(ground.redis.url);
  redis.on("error", () => {});
  world.onEnd(async () => redis.disconnect());
  return { ...ground, ...of(redis) };
}

async function throughProxy(world: World, url: string) {
  const proxied = new URL(url);
  const proxy = await world.open(startTcpProxy(Number(proxied.port)), (one) => one.stop());
  proxied.port = String(proxy.port);
  return { proxy, url: proxied.href };
}

async function pidsOf(connectionString: string, query: string): Promise<number[]> {
  const db = new pg.Client({ connectionString });
  await db.connect();
  const { rows } = await db.query<{ pid: number }>(query);
  await db.end();
  return rows.map(({ pid }) => pid);
}

/** The first endpoint misbehaves. Where there is another one, what both have to say is waited for. */
function endpoint(about: string, how: "drop" | "hang", others: readonly "another"[]): Fault {
  return {
    about,
    async open(world) {
      const { rpcUrl, ...ground } = await usual(world);
      const proxy = await world.open(startRpcProxy(rpcUrl), (one) => one.stop());
      return {
        ...{ ...ground, rpcUrl: proxy.url, otherRpcUrls: others.map(() => rpcUrl) },
        holds: others.length > 0,
        begin: async () => proxy.misbehave(() => how),
        finish: async () => proxy.misbehave(null),
      };
    },
  };
}

/** Of two processes the one with these roles is killed. */
function killing(about: string, others: string, killed: string): Fault {
  return {
    about,
    async open(world) {
      const ground = await usual(world);
      return {
        ...{ ...ground, roles: [others, killed] },
        begin: ({ kill }) => kill(killed),
        finish: ({ start }) => start(killed),
      };
    },
  };
}

export const faults = {
  "postgres-restarted": {
    about: "PostgreSQL is restarted",
    async open(world) {
      const cluster = await world.open(openCluster(), (one) => one.end());
      const ground = await usual(world, await cluster.createDatabase("topology"));
      return { ...ground, begin: cluster.restart };
    },
  },
  "postgres-silent": {
    about: "connections to PostgreSQL fall silent; new ones work",
    resumesWithin: 15,
    async open(world) {
      const ground = await usual(world);
      const { proxy, url } = await throughProxy(world, ground.databaseUrl);
      return { ...ground, databaseUrl: url, begin: async () => proxy.silence() };
    },
  },
  "replica-behind": {
    about: "the primary is lost, and a replica takes over that is 15 s behind",
    async open(world) {
      const servers = await world.open(openReplicated(), (one) => one.end());
      return {
        ...(await usual(world, servers.url)),
        async begin() {
          // What sends the log to the replica stands still, and is gone with its server.
          const senders = await pidsOf(servers.primaryUrl, "SELECT pid FROM pg_stat_replication");
          for (const pid of senders) process.kill(pid, "SIGSTOP");
          await sleep(behindMs);
          servers.killPrimary();
          for (const pid of senders) process.kill(pid, "SIGKILL");
          await servers.promote();
        },
      };
    },
  },
  pgbouncer: {
    about: "PgBouncer in transaction mode, all the time",
    async open(world) {
      const ground = await usual(world);
      const starting = startPgBouncer(ground.databaseUrl, "transaction");
      const { url } = await world.open(starting, (one) => one.stop());
      return { ...ground, databaseUrl: url };
    },
  },
  "pgbouncer-queue": {
    about: "the same, with the queue on PostgreSQL and without Redis",
    async open(world) {
      const ground = await usual(world);
      const starting = startPgBouncer(ground.databaseUrl, "transaction");
      const { url } = await world.open(starting, (one) => one.stop());
      const environment = { DATABASE_DIRECT_URL: ground.databaseUrl };
      return { ...ground, databaseUrl: url, redisUrl: null, environment };
    },
  },
  "redis-emptied": {
    about: "Redis is killed, and another one without its data takes its place",
    async open(world) {
      const ground = await usual(world);
      const { port } = ground.redis;
      const begin = async () => {
        await ground.redis.kill();
        await world.open(startOwnRedis({ port }), (one) => one.kill());
      };
      return { ...ground, begin };
    },
  },
  "redis-silent": {
    about: "connections to Redis fall silent; new ones work",
    resumesWithin: 15,
    async open(world) {
      const ground = await usual(world);
      const { proxy, url } = await throughProxy(world, ground.redis.url);
      return { ...ground, redisUrl: url, begin: async () => proxy.silence() };
    },
  },
  "redis-password": {
    about: "the password of Redis is another one",
    open: (world) =>
      withRedis(world, (redis) => ({
        async begin() {
          await redis.config("SET", "requirepass", "another");
          await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        },
        finish: () => redis.config("SET", "requirepass", ""),
      })),
  },
  "redis-scripting": {
    about: "the user of Redis may run no scripts",
    open: (world) =>
      withRedis(world, (redis) => ({
        begin: () => redis.call("ACL", "SETUSER", "default", "-@scripting"),
        finish: () => redis.call("ACL", "SETUSER", "default", "+@scripting"),
      })),
  },
  "redis-read-only": {
    about: "Redis takes no writes",
    open: (world) =>
      withRedis(world, (redis) => ({
        begin: () => redis.replicaof("127.0.0.1", 1),
        finish: () => redis.replicaof("NO", "ONE"),
      })),
  },
  sentinel: {
    about: "the primary of a Redis with Sentinel is lost",
    async open(world) {
      const ground = await usual(world);
      const redis = await world.open(startSentinels(), (one) => one.end());
      return { ...ground, redisUrl: redis.url, begin: redis.loseFirst };
    },
  },
  "redis-cluster": {
    about:
      "a node of a Redis Cluster is lost, and its replica takes over; the queue may be on another node",
    async open(world) {
      const ground = await usual(world);
      const redis = await world.open(startRedisCluster(), (one) => one.end());
      return { ...ground, redisUrl: redis.url, begin: redis.loseSecond };
    },
  },
  "rpc-down": endpoint("the only endpoint drops every connection", "drop", []),
  "rpc-hangs": endpoint(
    "the first of two endpoints answers nothing any more: its word is waited for",
    "hang",
    ["another"],
  ),
  "dispatchers-dead": killing("every dispatcher is killed", "watcher,relay,api", "dispatcher"),
  "watchers-dead": killing("every watcher is killed", "relay,dispatcher,api", "watcher"),
} satisfies Record<string, Fault>;
