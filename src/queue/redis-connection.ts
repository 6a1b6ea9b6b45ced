import { Queue, Worker } from "bullmq";
import type { RedisServers } from "../domain/setup/redis-servers.ts";
import { checkRedis } from "./check-redis.ts";
import { type QueueConnection, queueName } from "./queue-connection.ts";
import { openRedisClient } from "./redis-client.ts";

/**
 * The longest pause between two tries to connect. In a long outage there is one try each second.
 */
const longestReconnectWaitMs = 1_000;
/**
 * The time that an idle worker waits in Redis for a job before it asks again, in s. BullMQ ends
 * such a wait a second later.
 */
const drainDelay = 2;
/**
 * A connection without any answer for this time, in ms, counts as lost, even if nothing was closed.
 * The relay waits no longer than this. A worker notices it for its two connections in turn. First
 * comes the one that waits for jobs, then the other when it asks for one. Both together, with the
 * wait above, take less than 15 s.
 */
const silentAfterMs = { producer: 5_000, worker: 8_000 };
/** Few, because BullMQ's stream of events is not used. */
const keptEvents = 100;

/**
 * The queue in Redis. The namespace is in braces, so that all of its keys are in one slot of a
 * Cluster. Needs `maxmemory-policy noeviction`. Needs no persistence.
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
      // A producer fails at once while Redis is down. Its claims are then given back, and claimed
      // again.
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
