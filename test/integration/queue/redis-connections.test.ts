import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { openDeliveryQueue } from "../../../src/queue/delivery-queue.ts";
import { startOwnRedis } from "../../support/delivery/redis.ts";
import { redisAt } from "../../support/delivery/redis-topologies.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { freePort } from "../../support/process/free-port.ts";
import { startTcpProxy } from "../../support/process/tcp-proxy.ts";
import { waitFor } from "../../support/wait-for.ts";
import { collectFrom } from "./collect.ts";

describe.runIf(hasRedis)("the connections to a Redis that is well", () => {
  it("stay while there is nothing to do, and while it answers late", async () => {
    const redis = await startOwnRedis();
    const proxy = await startTcpProxy(redis.port);
    const asked = new Redis(redis.url);
    const errors: Error[] = [];
    const servers = redisAt(`redis://127.0.0.1:${proxy.port}`);
    const queue = openDeliveryQueue({
      backend: { kind: "redis", servers, namespace: "chainbell" },
      onError: (error) => errors.push(error),
    });
    const { consumer, handled } = collectFrom(queue);
    try {
      await consumer.start();
      await queue.enqueue([{ token: "a", deliveries: 1 }]);
      await waitFor(() => handled.includes("a"), { what: "the job", timeoutMs: 20_000 });
      const [before, waits] = [proxy.accepted(), await countWaits(asked)];
      await waitFor(async () => (await countWaits(asked)) > waits + 3, {
        what: "a worker that has waited several times",
        timeoutMs: 60_000,
      });
      // Not one for each wait. BullMQ may replace one where this process had no turn for a second.
      expect(proxy.accepted() - before).toBeLessThan(3);

      await asked.call("CLIENT", "PAUSE", 2_500, "ALL");
      await queue.enqueue([{ token: "b", deliveries: 1 }]);
      await waitFor(() => handled.includes("b"), { what: "the job", timeoutMs: 20_000 });
      expect(handled).toEqual(["a", "b"]);
      expect(errors).toEqual([]);
    } finally {
      asked.disconnect();
      await consumer.stop();
      await queue.close();
      await proxy.stop();
      await redis.stop();
    }
  });
});

/** How often somebody has waited for a job. */
async function countWaits(redis: Redis): Promise<number> {
  const stats = await redis.info("commandstats");
  return Number(/cmdstat_bzpopmin:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

describe.runIf(hasRedis)("the delivery queue while Redis is away", () => {
  it("fails soon, and works once Redis is there", async () => {
    const port = await freePort();
    const backend = {
      kind: "redis",
      servers: redisAt(`redis://127.0.0.1:${port}`),
      namespace: "x",
    } as const;
    const queue = openDeliveryQueue({ backend, onError: () => {} });
    const { consumer, handled } = collectFrom(queue);
    try {
      await consumer.start();
      await expect(queue.enqueue([{ token: "a", deliveries: 1 }])).rejects.toMatchObject({
        code: "queue_unavailable",
      });
      await expect(queue.has("a")).rejects.toMatchObject({ code: "queue_unavailable" });
      expect(consumer.trouble()).not.toBeNull();
      const redis = await startOwnRedis({ port });
      try {
        await waitFor(() => queue.enqueue([{ token: "b", deliveries: 1 }]).then(() => true), {
          what: "the queue to work",
          timeoutMs: 20_000,
        });
        await waitFor(() => handled.includes("b"), { what: "the job", timeoutMs: 20_000 });
        expect(consumer.trouble()).toBeNull();
      } finally {
        await consumer.stop();
        await queue.close();
        await redis.stop();
      }
    } finally {
      await consumer.stop();
      await queue.close();
    }
  });

  it("stops although Redis never came", async () => {
    const backend = {
      kind: "redis",
      servers: redisAt("redis://127.0.0.1:1"),
      namespace: "x",
    } as const;
    const queue = openDeliveryQueue({ backend, onError: () => {} });
    const { consumer } = collectFrom(queue, 100);
    await consumer.start();
    await consumer.stop();
    await queue.close();
    await expect(queue.enqueue([{ token: "a", deliveries: 1 }])).rejects.toMatchObject({
      code: "queue_unavailable",
    });
  });
});
