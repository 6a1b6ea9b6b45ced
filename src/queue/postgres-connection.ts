import type { Duplex } from "node:stream";
import { createPostgresBackend, Queue, Worker } from "bullmq";
import { type QueueConnection, queueName } from "./queue-connection.ts";

// Few, since the ledger has its own connections too. Jobs are claims of several deliveries, so a
// few connections handle thousands of deliveries a second. A worker has one more, for LISTEN.
const producerConnections = 1;
const workerConnections = 2;
const connectTimeoutMs = 5_000;
/**
 * Each statement is short. One without an answer for this time, in ms, has failed. A connection
 * that has fallen silent is given up before that, by the server's settings.
 */
const answerTimeoutMs = 15_000;
// The queue may be lost, so no job waits for the disk. A crash of the server may lose the latest
// jobs. A process that is cut off keeps its locks for 30 s, and not until its connection is missed.
const sessionOptions = "-c synchronous_commit=off -c idle_in_transaction_session_timeout=30s";

/**
 * The server's connection, as the driver takes it. The others are set if each connection chooses a
 * server, and is watched.
 */
export type QueueServer = {
  connectionString: string;
  /** Options of each login, besides those of the queue. */
  options?: string;
  stream?: (...given: unknown[]) => Duplex;
  Client?: unknown;
  onConnect?: unknown;
};

/** The queue in PostgreSQL, in its own schema. The first use creates or updates that schema. */
export function openPostgresConnection(backend: {
  server: QueueServer;
  namespace: string;
}): QueueConnection {
  const connection = (max: number) => ({
    ...backend.server,
    schema: backend.namespace,
    migrate: true,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: "chainbell-queue",
    options: `${backend.server.options ?? ""} ${sessionOptions}`,
  });

  return {
    // The ledger has already connected to this database.
    check: async () => {},

    openQueue(onError) {
      const settings = { connection: connection(producerConnections) };
      const queue = new Queue(queueName, settings, createPostgresBackend);
      queue.on("error", onError);
      return {
        it: queue,
        ready: () => queue.waitUntilReady(),
        disconnect: () => queue.close().catch(() => {}),
      };
    },

    openWorker({ handle, settings, onError }) {
      const own = { ...settings, connection: connection(workerConnections) };
      const worker = new Worker(queueName, handle, own, createPostgresBackend);
      worker.on("error", onError);
      return {
        it: worker,
        ready: () => worker.waitUntilReady(),
        disconnect: () => worker.disconnect().catch(() => {}),
      };
    },
  };
}
