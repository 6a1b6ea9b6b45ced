import { Cluster, type CommonRedisOptions, Redis } from "ioredis";
import type { RedisServers } from "../domain/setup/redis-servers.ts";

/** A client of any kind. It sends commands, and reports its errors as events. */
export type RedisClient = Redis | Cluster;

/** The options of a client for any kind of servers. */
export type ClientBehaviour = Required<
  Pick<CommonRedisOptions, "maxRetriesPerRequest" | "socketTimeout" | "enableOfflineQueue">
> & {
  lazyConnect?: boolean;
  enableReadyCheck?: boolean;
  /**
   * The time to wait before the next try of a lost server, in ms, by the number of tries. Null: no
   * retry.
   */
  retry: ((times: number) => number) | null;
};

/** For one Sentinel, and for one node, since there are others to ask. */
const connectTimeout = 3_000;

/**
 * Opens a client of the server, of the server that the Sentinels name, or of the Cluster. `onError`
 * is called with each error of a connection, which is then made again as `retry` says.
 */
export function openRedisClient(
  servers: RedisServers,
  behaviour: ClientBehaviour,
  onError: (error: Error) => void,
): RedisClient {
  const client = openClient(servers, behaviour);
  client.on("error", onError);
  // For a Cluster, also the errors of single nodes: its own error says only that all are lost.
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
      // Keeps names as they are, because certificates have names.
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

/** The settings that all connections to a server share. */
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
 * True if the server became a replica: a new connection may lead to its successor. ioredis can also
 * listen to the Sentinels for that, but it prints errors of those connections outside of our log.
 */
function isDemotion({ message }: Error): boolean {
  return /\bREADONLY\b/.test(message);
}
