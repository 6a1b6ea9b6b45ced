import { Queue, Worker } from "bullmq";
import type { RedisServers } from "../domain/setup/redis-servers.ts";
import { checkRedis } from "./check-redis.ts";
import { type QueueConnection, queueName } from "./queue-connection.ts";
import { openRedisClient } from "./redis-client.ts";

/** Short outages are noticed late, if at all; in a long one a connection is tried each second. */
const longestReconnectWaitMs = 1_000;
/**
 * Seconds that an idle worker waits for a job in Redis before it looks again. BullMQ gives such a
 * wait up a second later.
 */
const drainDelay = 2;
/**
 * Questions without any answer for so many ms have lost their connection, though nothing was
 * closed. The relay waits no longer for an answer. A worker finds it out of its two connections one
 * after the other: first of that which waits for jobs, then, once it asks for one, of the other.
 * Both together, with the wait above, stay below 15 s.
 */
const silentAfterMs = { producer: 5_000, worker: 8_000 };
/** BullMQ's stream of events is not used. */
const keptEvents = 100;

/**
 * The queue in Redis. The namespace is in braces, so that all of its keys lie in one slot of a
 * cluster. Needs `maxmemory-policy noeviction`; needs no persistence.
 */
export function openRedisConnection(backend: {
  servers: RedisServers;
  namespace: string;
}): QueueConnection {
  const { servers, namespace } = backend;
  const prefix = `{${namespace}}`;
  const retry = (times: number) => Math.min(50 * 2 ** times, longestReconnectWaitMs);

  return {
    check: () => checkRedis({ servers, prefix }),

    openQueue(onError) {
      // A producer fails at once while Redis is away: its claims are given back and claimed again.
      const behaviour = {
        retry,
        socketTimeout: silentAfterMs.producer,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
      };
      const client = openRedisClient(servers, behaviour, onError);
      const streams = { events: { maxLen: keptEvents } };
      const queue = new Queue(queueName, { connection: client, prefix, streams });
      queue.on("error", onError);
      return {
        it: queue,
        ready: () => queue.waitUntilReady(),
        async disconnect() {
          await queue.close().catch(() => {});
          client.disconnect();
        },
      };
    },

    openWorker({ handle, settings, onError }) {
      const patience = { enableOfflineQueue: true, maxRetriesPerRequest: null };
      const behaviour = { retry, socketTimeout: silentAfterMs.worker, ...patience };
      const client = openRedisClient(servers, behaviour, onError);
      const own = { ...settings, drainDelay, connection: client, prefix };
      const worker = new Worker(queueName, handle, own);
      worker.on("error", onError);
      return {
        it: worker,
        ready: () => worker.waitUntilReady(),
        async disconnect() {
          client.disconnect();
          await worker.disconnect().catch(() => {});
        },
      };
    },
  };
}
