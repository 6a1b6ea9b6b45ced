import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import {
  parseRedisUrl,
  type RedisServers,
  type RedisTls,
} from "../../../src/domain/setup/redis-servers.ts";
import { freePort } from "../process/free-port.ts";
import { createResources } from "../resources.ts";
import { waitFor } from "../wait-for.ts";
import { spawnRedis, startOwnRedis, temporaryFolder } from "./redis.ts";

const timeoutMs = 30_000;
const noPem: RedisTls = { ca: null, cert: null, key: null };

/** What a URL says, as the daemon's configuration understands it. */
export function redisAt(url: string, pem: RedisTls = noPem): RedisServers {
  const read = parseRedisUrl(url, pem);
  if ("fault" in read) throw new Error(read.fault);
  return read.value;
}

/** Asks a server one thing, by a connection of its own. */
async function askRedis(port: number, ...[name = "", ...rest]: string[]): Promise<unknown> {
  const client = new Redis({ host: "127.0.0.1", port, retryStrategy: null });
  try {
    return await client.call(name, ...rest);
  } finally {
    client.disconnect();
  }
}

/**
 * A server with a replica that is in step, and a Sentinel that puts the replica in its place half a
 * second after it is gone.
 */
export async function startSentinels() {
  const { open, end } = createResources();
  try {
    const first = await open(startOwnRedis(), (one) => one.stop());
    const args = [
      "--replicaof",
      "127.0.0.1",
      String(first.port),
      "--repl-diskless-sync-delay",
      "0",
    ];
    const second = await open(startOwnRedis({ args }), (one) => one.stop());
    await waitFor(
      async () =>
        String(await askRedis(first.port, "INFO", "replication")).includes("state=online"),
      { what: "the replica to be in step", timeoutMs },
    );
    const port = await freePort();
    const file = join(temporaryFolder(), "sentinel.conf");
    const lines = [
      ...[`port ${port}`, "bind 127.0.0.1", `sentinel monitor bell 127.0.0.1 ${first.port} 1`],
      ...["sentinel down-after-milliseconds bell 500", "sentinel failover-timeout bell 3000"],
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    await open(spawnRedis([file, "--sentinel"], { port }), (one) => one.stop());
    await waitFor(
      async () =>
        JSON.stringify(await askRedis(port, "SENTINEL", "replicas", "bell")).includes(
          String(second.port),
        ),
      { what: "the Sentinel to know the replica", timeoutMs },
    );
    return {
      url: `redis+sentinel://127.0.0.1:${port}/bell`,
      port,
      /** Ends the first server as a crash would. */
      loseFirst: first.kill,
      /** The port of the server that the Sentinel names. */
      named: async () =>
        Number(
          Reflect.get(
            Object(await askRedis(port, "SENTINEL", "get-master-addr-by-name", "bell")),
            1,
          ),
        ),
      ports: { first: first.port, second: second.port },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const slots = 16_384;

/** Two servers with half of the slots each, and a replica for each of them. */
export async function startRedisCluster() {
  const { open, end } = createResources();
  const startNode = async () => {
    const bus = await freePort();
    const folder = temporaryFolder();
    const args = ["--cluster-enabled", "yes", "--cluster-port", String(bus)];
    const timing = ["--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0"];
    const own = { args: [...args, ...timing, "--dir", folder] };
    return { ...(await open(startOwnRedis(own), (one) => one.stop())), bus };
  };
  try {
    const halves = [
      { primary: await startNode(), replica: await startNode() },
      { primary: await startNode(), replica: await startNode() },
    ];
    await joinNodes(halves);
    const ports = halves.map(({ primary }) => primary.port);
    return {
      url: `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join()}`,
      /** A server that has half of the slots. */
      port: ports[0],
      /** Ends the server with all keys as a crash would, and puts its replica in its place. */
      async loseHolder() {
        const sizes = await Promise.all(ports.map((port) => askRedis(port, "DBSIZE")));
        const [holder, another] = halves.filter((_, index) => Number(sizes[index]) > 0);
        if (holder === undefined || another !== undefined)
          throw new Error(`One server was to have all keys; they have ${sizes.join(" and ")}.`);
        await holder.primary.kill();
        await askRedis(holder.replica.port, "CLUSTER", "FAILOVER", "TAKEOVER");
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

type Node = { port: number; bus: number };

/**
 * Gives each primary its part of the slots and its replica, and waits until all of them know it.
 */
async function joinNodes(halves: readonly { primary: Node; replica: Node }[]): Promise<void> {
  const all = halves.flatMap(({ primary, replica }) => [primary, replica]);
  // Of servers with the same epoch, a replica that takes over may be believed by nobody.
  for (const [number, { port }] of all.entries())
    await askRedis(port, "CLUSTER", "SET-CONFIG-EPOCH", String(number + 1));
  const [first, ...others] = all;
  for (const { port, bus } of others)
    await askRedis(first?.port ?? 0, "CLUSTER", "MEET", "127.0.0.1", String(port), String(bus));
  const each = slots / halves.length;
  for (const [index, { primary }] of halves.entries()) {
    const range = [index * each, (index + 1) * each - 1].map(String);
    await askRedis(primary.port, "CLUSTER", "ADDSLOTSRANGE", ...range);
  }
  for (const { primary, replica } of halves) {
    const followed = String(await askRedis(primary.port, "CLUSTER", "MYID"));
    await waitFor(() => askRedis(replica.port, "CLUSTER", "REPLICATE", followed), {
      what: "the replica to know its node",
      timeoutMs,
    });
  }
  const say = async (nodes: readonly Node[], ...question: string[]) =>
    (await Promise.all(nodes.map(({ port }) => askRedis(port, ...question)))).map(String);
  await waitFor(
    async () => {
      const primaries = halves.map(({ primary }) => primary);
      const states = await say(all, "CLUSTER", "INFO");
      const replicas = await say(primaries, "INFO", "replication");
      return (
        states.every((text) => text.includes("cluster_state:ok")) &&
        replicas.every((text) => text.includes("state=online"))
      );
    },
    { what: "the cluster to be whole", timeoutMs },
  );
}
