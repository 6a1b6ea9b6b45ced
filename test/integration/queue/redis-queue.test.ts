import { Redis } from "ioredis";
import { describe } from "vitest";
import { startOwnRedis } from "../../support/delivery/redis.ts";
import { redisAt } from "../../support/delivery/redis-topologies.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { startTcpProxy } from "../../support/process/tcp-proxy.ts";
import { type QueueServer, testDeliveryQueue } from "./conformance.ts";

async function startServer(): Promise<QueueServer> {
  let redis = await startOwnRedis();
  const proxy = await startTcpProxy(redis.port);
  return {
    backend: {
      kind: "redis",
      servers: redisAt(`redis://127.0.0.1:${proxy.port}`),
      namespace: "chainbell",
    },
    silence: proxy.silence,
    async empty() {
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
    },
    async interrupt() {
      await redis.kill();
      redis = await startOwnRedis({ port: redis.port });
    },
    async stop() {
      await proxy.stop();
      await redis.stop();
    },
  };
}

describe.runIf(hasRedis)("with a Redis", () => {
  testDeliveryQueue("Redis", startServer);
});
