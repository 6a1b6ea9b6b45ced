import { Cluster, type CommonRedisOptions, Redis } from "ioredis";
import type { RedisServers } from "../domain/setup/redis-servers.ts";

/** A client of any kind: it sends commands, and its errors are events. */
export type RedisClient = Redis | Cluster;

/** The options of a client, whatever kind of servers it talks to. */
export type ClientBehaviour = Required<
  Pick<CommonRedisOptions, "maxRetriesPerRequest" | "socketTimeout" | "enableOfflineQueue">
> & {
  lazyConnect?: boolean;
  enableReadyCheck?: boolean;
  /** ms until a lost server is tried again, by the number of times before; null: it is not. */
  retry: ((times: number) => number) | null;
};

/** Of one Sentinel, and of one node: there are others to ask. */
const connectTimeout = 3_000;

/**
 * A client of the server, of the one that the Sentinels name, or of the Cluster. `onError` hears of
 * each error of a connection, which is then made anew as `retry` says.
 */
export function openRedisClient(
  servers: RedisServers,
  behaviour: ClientBehaviour,
  onError: (error: Error) => void,
): RedisClient {
  const client = openClient(servers, behaviour);
  client.on("error", onError);
  // Of a Cluster, what happens to one node: where all are lost, the error above says no more than
  // that.
  if (client instanceof Cluster) client.on("node error", onError);
  return client;
}

function openClient(servers: RedisServers, behaviour: ClientBehaviour): RedisClient {
  const { retry, lazyConnect = false, enableReadyCheck = true, ...common } = behaviour;
  const { enableOfflineQueue, maxRetriesPerRequest, socketTimeout } = common;
  const starting = { lazyConnect, enableReadyCheck, enableOfflineQueue };
  const settings = { maxRetriesPerRequest, socketTimeout, ...connectionSettings(servers) };
  if (servers.kind === "cluster") {
    return new Cluster([...servers.nodes], {
      ...starting,
      clusterRetryStrategy: retry,
      slotsRefreshTimeout: connectTimeout,
      // Names stay names, as certificates have them.
      dnsLookup: (address, callback) => callback(null, address),
      redisOptions: { ...settings, connectTimeout },
    });
  }
  const { database: db } = servers;
  const single = { ...settings, ...starting, retryStrategy: retry, db };
  const reconnectOnError = isDemotion;
  if (servers.kind === "single") return new Redis({ ...single, ...servers.at, reconnectOnError });
  const { tls } = settings;
  return new Redis({
    ...single,
    reconnectOnError,
    connectTimeout,
    sentinelCommandTimeout: connectTimeout,

    sentinels: [...servers.sentinels],
    name: servers.name,
    role: "master",

    enableTLSForSentinelMode: tls !== undefined,
    sentinelTLS: tls,
    sentinelUsername: servers.sentinelLogin.username ?? undefined,
    sentinelPassword: servers.sentinelLogin.password ?? undefined,
    sentinelRetryStrategy: retry ?? (() => null),
  });
}

/** The settings that each connection to a server shares. */
function connectionSettings({ login, tls, family }: RedisServers) {
  return {
    username: login.username ?? undefined,
    password: login.password ?? undefined,
    family,
    tls:
      tls === null
        ? undefined
        : { ca: tls.ca ?? undefined, cert: tls.cert ?? undefined, key: tls.key ?? undefined },
  };
}

/**
 * A server that became a replica: a new connection may lead to the one that took its place. ioredis
 * can also listen to the Sentinels for that, but prints the errors of those connections past our
 * log.
 */
function isDemotion({ message }: Error): boolean {
  return /\bREADONLY\b/.test(message);
}
