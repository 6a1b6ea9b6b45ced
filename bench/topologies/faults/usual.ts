import { Redis } from "ioredis";
import { payer, shownWallet } from "../../../test/support/chain/cast.ts";
import { type RedisServer, startOwnRedis } from "../../../test/support/delivery/redis.ts";
import { openCluster } from "../../../test/support/ledger/cluster.ts";
import { startTcpProxy } from "../../../test/support/process/tcp-proxy.ts";
import type { Ground, World } from "../fault.ts";

/** One process with one PostgreSQL, one Redis and one endpoint, and nothing that happens. */
export async function usual(
  { open, anvil }: World,
  databaseUrl: string | null = null,
): Promise<Ground & { redis: RedisServer }> {
  const redis = await open(startOwnRedis(), (one) => one.kill());
  return {
    databaseUrl: databaseUrl ?? (await databaseIn({ open })),

    redisUrl: redis.url,
    redis,
    rpcUrl: anvil.rpcUrl,
    otherRpcUrls: [],
    tokens: [],

    environment: {},
    under: [],
    holds: false,
    roles: ["watcher,relay,dispatcher,api"],
    pay: () => anvil.sendNative({ from: payer, to: shownWallet, amountAtomic: 1n }),
    begin: async () => {},
    finish: async () => {},
  };
}

async function databaseIn({ open }: Pick<World, "open">): Promise<string> {
  const cluster = await open(openCluster(), (one) => one.end());
  return cluster.createDatabase("topology");
}

/** The usual, with a connection of its own to Redis, which stays whoever is locked out. */
export async function withRedis(
  world: World,
  of: (redis: Redis, ground: Ground) => Partial<Ground>,
): Promise<Ground> {
  const ground = await usual(world);
  const redis = new Redis(ground.redis.url);
  redis.on("error", () => {});
  world.onEnd(async () => redis.disconnect());
  return { ...ground, ...of(redis, ground) };
}

/** The same server behind something that can fall silent. */
export async function throughProxy(world: World, url: string) {
  const proxied = new URL(url);
  const proxy = await world.open(startTcpProxy(Number(proxied.port)), (one) => one.stop());
  proxied.port = String(proxy.port);
  return { proxy, url: proxied.href };
}
