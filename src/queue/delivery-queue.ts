import type { ClaimConsumerOptions, ClaimQueue } from "../domain/delivery/claim-queue.ts";
import { Fault } from "../domain/fault.ts";
import type { RedisServers } from "../domain/setup/redis-servers.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Service } from "../runtime/service.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import { createDeliveryConsumer } from "./delivery-consumer.ts";
import { openPostgresConnection, type QueueServer } from "./postgres-connection.ts";
import type { JobQueue, Opened, QueueConnection } from "./queue-connection.ts";
import { openRedisConnection } from "./redis-connection.ts";

/**
 * Where the queue is. `namespace` separates several Chainbells in one Redis, or in one database,
 * where it names a schema. It has letters, digits and underscores.
 */
export type QueueBackend =
  | { kind: "redis"; servers: RedisServers; namespace: string }
  | { kind: "postgres"; server: QueueServer; namespace: string };

export type DeliveryQueue = ClaimQueue & {
  /** Makes a service that takes jobs. Stop it before `close`. */
  createConsumer: (options: ClaimConsumerOptions) => Service;
  /**
   * Checks that the queue can work with the server, as far as the server answers now.
   * @throws Fault `queue_refused`
   */
  check: () => Promise<void>;
  /** Ends the producer's connections. Safe to repeat. */
  close: () => Promise<void>;
};

/** The time that the relay waits for an answer of the queue. Then it gives the claims back. */
const answerTimeoutMs = 5_000;
/** The time that an orderly close waits for the server. Then the connections are dropped. */
const closeTimeoutMs = 2_000;

// A job is one claim. PostgreSQL stores attempts and their times (docs/invariants.md#i7). So the
// queue never retries, and nothing in it must be kept.
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/**
 * Opens the queue without waiting for it. While the queue is down, calls fail. `onError` is called
 * with each connection error.
 */
export function openDeliveryQueue(options: {
  backend: QueueBackend;
  onError: (error: Error) => void;
}): DeliveryQueue {
  const { backend, onError } = options;
  const connection: QueueConnection =
    backend.kind === "redis" ? openRedisConnection(backend) : openPostgresConnection(backend);
  let producer: Opened<JobQueue> | null = null;
  let closing: Promise<void> | null = null;

  async function connected(): Promise<JobQueue> {
    producer ??= connection.openQueue(onError);
    const opened = producer;
    try {
      await opened.ready();
      return opened.it;
    } catch (error) {
      if (producer === opened) producer = null;
      await opened.disconnect();
      throw error;
    }
  }

  return {
    async enqueue(claims) {
      if (claims.length === 0) return;
      const jobs = claims.map(({ token, deliveries }) => ({
        name: "claim",
        data: { token, deliveries },
        opts: { ...jobOptions, jobId: token },
      }));
      await answered(async () => (await connected()).addBulk(jobs));
    },
    async has(token) {
      return (await answered(async () => (await connected()).getJob(token))) !== undefined;
    },
    createConsumer: (consumer) => createDeliveryConsumer(connection, consumer),
    check: connection.check,
    close() {
      closing ??= disconnect(producer);
      return closing;
    },
  };
}

async function disconnect(producer: Opened<JobQueue> | null): Promise<void> {
  if (producer === null) return;
  await withTimeout(producer.disconnect(), { timeoutMs: closeTimeoutMs, clock }).catch(() => {});
}

/** Limits a call that may hang, and names what went wrong. */
async function answered<T>(call: () => Promise<T>): Promise<T> {
  try {
    const answer = await withTimeout(call(), { timeoutMs: answerTimeoutMs, clock });
    if (answer.kind === "late") throw new Error(`no answer in ${answerTimeoutMs} ms`);
    return answer.value;
  } catch (cause) {
    throw new Fault("queue_unavailable", "The queue is out of reach.", { cause });
  }
}
