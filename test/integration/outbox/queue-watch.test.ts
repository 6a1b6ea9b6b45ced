import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { readLiveness } from "../../../src/ledger/installation/read-liveness.ts";
import { watchQueue } from "../../../src/outbox/queue-watch.ts";
import { openDeliveryQueue } from "../../../src/queue/delivery-queue.ts";
import { type RedisServer, startOwnRedis } from "../../support/delivery/redis.ts";
import { redisAt } from "../../support/delivery/redis-topologies.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { eachTest } from "../../support/each-test.ts";
import { openTestLedger } from "../../support/ledger/ledger-fixtures.ts";
import { quiet } from "../../support/quiet.ts";
import { createSkippingClock } from "../../support/skipping-clock.ts";
import { waitFor } from "../../support/wait-for.ts";

const timeoutMs = 30_000;
const ledger = eachTest(openTestLedger, (one) => one.stop());

/** A relay's watch over a queue in this Redis. */
const watching = (redis: () => RedisServer) =>
  eachTest(
    async () => {
      const servers = redisAt(redis().url);
      const queue = openDeliveryQueue({
        backend: { kind: "redis", servers, namespace: "chainbell" },
        onError: () => {},
      });
      const limits = { inFlight: 10, schedule: [0], random: Math.random };
      const watched = watchQueue(createDeliveryLedger(ledger.db, limits), queue, {
        clock: createSkippingClock(),
        log: quiet,
      });
      await watched.watch.start();
      return { ...watched, close: queue.close };
    },
    async ({ watch, close }) => {
      await watch.stop();
      await close();
    },
  );

const saidWithout = async () => (await readLiveness(ledger.db)).withoutQueue;
const until = (count: number) =>
  waitFor(async () => (await saidWithout()) === count, {
    what: `${count} relays without a queue`,
    timeoutMs,
  });

describe.runIf(hasRedis)("a relay says in the ledger that the queue is out of reach", () => {
  const redis = eachTest(startOwnRedis, (one) => one.kill());
  const watched = watching(() => redis);

  it("while nothing is due, until it is back", async () => {
    const { port } = redis;
    await redis.kill();
    await until(1);
    const again = await startOwnRedis({ port });
    try {
      await until(0);
    } finally {
      await again.kill();
    }
  });

  it("while it answers and takes no jobs", async () => {
    const claim = [{ token: "0199c2a1-0000-7000-8000-000000000000", deliveries: 1 }];
    const operator = new Redis(redis.url);
    try {
      await operator.replicaof("127.0.0.1", "1");
      await expect(watched.queue.enqueue(claim)).rejects.toMatchObject({
        code: "queue_unavailable",
      });
      await until(1);
      await operator.replicaof("NO", "ONE");
      await waitFor(() => watched.queue.enqueue(claim).then(() => true), {
        what: "a job that is taken",
        timeoutMs,
      });
      await until(0);
    } finally {
      operator.disconnect();
    }
  });

  it("and takes it back when it ends", async () => {
    await redis.kill();
    await until(1);
    await watched.watch.stop();
    expect(await saidWithout()).toBe(0);
  });
});
