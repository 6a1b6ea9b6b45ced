import { type RedisServer, startOwnRedis } from "../../../test/support/delivery/redis.ts";
import { openCluster } from "../../../test/support/ledger/cluster.ts";
import { startTcpProxy } from "../../../test/support/process/tcp-proxy.ts";
import type { Ground, World } from "../fault.ts";

const nothing = async () => {};

/** One process with one PostgreSQL, one Redis and one endpoint, and nothing that happens. */
export async function usual(
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

/** The same server behind something that can fall silent. */
export async function throughProxy(world: World, url: string) {
  const proxied = new URL(url);
  const proxy = await world.open(startTcpProxy(Number(proxied.port)), (one) => one.stop());
  proxied.port = String(proxy.port);
  return { proxy, url: proxied.href };
}
