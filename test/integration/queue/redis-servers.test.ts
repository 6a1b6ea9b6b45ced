import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RedisServers, RedisTls } from "../../../src/domain/setup/redis-servers.ts";
import { type DeliveryQueue, openDeliveryQueue } from "../../../src/queue/delivery-queue.ts";
import { spawnRedis } from "../../support/delivery/redis.ts";
import {
  redisAt,
  startRedisCluster,
  startSentinels,
} from "../../support/delivery/redis-topologies.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { freePort } from "../../support/process/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";
import { collectFrom } from "./collect.ts";

const timeoutMs = 30_000;
const folder = new URL("./tls/", import.meta.url);
const pathOf = (name: string) => new URL(name, folder).pathname;
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
const pem: RedisTls = { ca: read("ca.pem"), cert: read("client.pem"), key: read("client-key.pem") };

/** What docs/operations.md gives the daemon's user. */
const rights = ["~{chainbell_*", "+@all", "-@admin", "-@dangerous", "+info"];

function openQueue(servers: RedisServers, namespace: string): DeliveryQueue {
  const queue = openDeliveryQueue({
    backend: { kind: "redis", servers, namespace },
    onError: () => {},
  });
  onTestFinished(() => queue.close());
  return queue;
}

function tryQueue(servers: RedisServers): Promise<string> {
  return openQueue(servers, "chainbell_x")
    .check()
    .then(
      () => "passed",
      (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
    );
}

/**
 * A queue with one consumer. `passOn` enqueues jobs until the queue takes them, and waits until
 * they were handled.
 */
async function startPassing(servers: RedisServers) {
  const queue = openQueue(servers, "chainbell_x");
  const { consumer, handled } = collectFrom(queue);
  onTestFinished(() => consumer.stop());
  await consumer.start();
  return {
    async passOn(count: number) {
      const tokens = Array.from({ length: count }, () => randomUUID());
      const claims = tokens.map((token) => ({ token, deliveries: 1 }));
      await waitFor(() => queue.enqueue(claims).then(() => true), {
        what: "the queue to take jobs",
        timeoutMs,
      });
      await waitFor(() => tokens.every((token) => handled.includes(token)), {
        what: `${count} jobs to be handled`,
        timeoutMs,
      });
    },
  };
}

async function startTlsServer() {
  const port = await freePort();
  const files = [
    "--tls-cert-file",
    pathOf("server.pem"),
    "--tls-key-file",
    pathOf("server-key.pem"),
  ];
  const clients = ["--tls-ca-cert-file", pathOf("ca.pem"), "--tls-auth-clients", "yes"];
  const user = ["--user", "chainbell", "on", ">secret-word", ...rights];
  const where = ["--port", "0", "--tls-port", String(port), "--bind", "127.0.0.1", "--save", ""];
  const tls = { ca: pem.ca ?? "", cert: pem.cert ?? "", key: pem.key ?? "" };
  const server = await spawnRedis([...where, ...files, ...clients, ...user], { port, tls });
  onTestFinished(server.stop);
  return { url: `rediss://chainbell:secret-word@localhost:${port}` };
}

describe.runIf(hasRedis)("a Redis that wants TLS, a client's certificate and a user", () => {
  it("takes jobs and hands them out", async () => {
    const { url } = await startTlsServer();
    const servers = redisAt(url, pem);
    const queue = openQueue(servers, "chainbell_x");
    await expect(queue.check()).resolves.toBeUndefined();
    const { passOn } = await startPassing(servers);
    await passOn(50);
  });

  it("is refused where its authority is not known, or our key is none", async () => {
    const { url } = await startTlsServer();
    const refused = /^queue_refused: REDIS_URL does not work/;
    expect(await tryQueue(redisAt(url, { ...pem, ca: null }))).toMatch(refused);
    expect(await tryQueue(redisAt(url, { ...pem, key: "no key" }))).toMatch(refused);
  });
});

describe.runIf(hasRedis)("Sentinels", () => {
  it("are refused as a server, by another name, and where they are none", async () => {
    const sentinels = await startSentinels();
    onTestFinished(sentinels.end);
    const { url, port, ports } = sentinels;
    expect(await tryQueue(redisAt(url))).toBe("passed");
    expect(await tryQueue(redisAt(`redis://127.0.0.1:${port}`))).toContain("redis+sentinel://");
    expect(await tryQueue(redisAt(`redis+sentinel://127.0.0.1:${port}/other`))).toContain(
      "its Sentinels watch nothing that is called other",
    );
    expect(await tryQueue(redisAt(`redis+sentinel://127.0.0.1:${ports.first}/bell`))).toMatch(
      /^queue_refused/,
    );
    // One that is away is no fault while another answers.
    const away = await freePort();
    const both = url.replace("//", `//127.0.0.1:${away},`);
    expect(await tryQueue(redisAt(both))).toBe("passed");
  });
});

describe.runIf(hasRedis)("a Redis Cluster", () => {
  it("keeps the queue in one slot, and goes on after the server with that slot is lost", async () => {
    const cluster = await startRedisCluster();
    onTestFinished(cluster.end);
    const servers = redisAt(cluster.url);
    expect(await tryQueue(servers)).toBe("passed");
    expect(await tryQueue(redisAt(`redis://127.0.0.1:${cluster.port}`))).toContain(
      "redis+cluster://",
    );
    const { passOn } = await startPassing(servers);
    await passOn(50);
    await cluster.loseHolder();
    await passOn(50);
  });
});
