import { Redis } from "ioredis";
import { startOwnRedis } from "../../../test/support/delivery/redis.ts";
import {
  startRedisCluster,
  startSentinels,
} from "../../../test/support/delivery/redis-topologies.ts";
import type { Fault, Ground, World } from "../fault.ts";
import { throughProxy, usual } from "./usual.ts";

export const redisFaults = {
  "redis-emptied": {
    about: "Redis is killed, and another one without its data takes its place",
    async open(world) {
      const ground = await usual(world);
      const { port } = ground.redis;
      const begin = async () => {
        await ground.redis.kill();
        await world.open(startOwnRedis({ port }), (one) => one.kill());
      };
      return { ...ground, begin };
    },
  },
  "redis-silent": {
    about: "connections to Redis fall silent; new ones work",
    resumesWithin: 15,
    async open(world) {
      const ground = await usual(world);
      const { proxy, url } = await throughProxy(world, ground.redis.url);
      return { ...ground, redisUrl: url, begin: async () => proxy.silence() };
    },
  },
  "redis-password": {
    about: "the password of Redis is another one",
    open: (world) =>
      withRedis(world, (redis) => ({
        async begin() {
          await redis.config("SET", "requirepass", "another");
          await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        },
        finish: () => redis.config("SET", "requirepass", ""),
      })),
  },
  "redis-scripting": {
    about: "the user of Redis may run no scripts",
    open: (world) =>
      withRedis(world, (redis) => ({
        begin: () => redis.call("ACL", "SETUSER", "default", "-@scripting"),
        finish: () => redis.call("ACL", "SETUSER", "default", "+@scripting"),
      })),
  },
  "redis-read-only": {
    about: "Redis takes no writes",
    open: (world) =>
      withRedis(world, (redis) => ({
        begin: () => redis.replicaof("127.0.0.1", 1),
        finish: () => redis.replicaof("NO", "ONE"),
      })),
  },
  sentinel: {
    about: "the primary of a Redis with Sentinel is lost",
    async open(world) {
      const ground = await usual(world);
      const redis = await world.open(startSentinels(), (one) => one.end());
      return { ...ground, redisUrl: redis.url, begin: redis.loseFirst };
    },
  },
  "redis-cluster": {
    about:
      "a node of a Redis Cluster is lost, and its replica takes over; the queue may be on another node",
    async open(world) {
      const ground = await usual(world);
      const redis = await world.open(startRedisCluster(), (one) => one.end());
      return { ...ground, redisUrl: redis.url, begin: redis.loseSecond };
    },
  },
} satisfies Record<string, Fault>;

/** The usual, with a connection of its own to Redis, which stays whoever is locked out. */
async function withRedis(
  world: World,
  of: (redis: Redis) => Pick<Ground, "begin" | "finish">,
): Promise<Ground> {
  const ground = await usual(world);
  const redis = new Redis(ground.redis.url);
  redis.on("error", () => {});
  world.onEnd(async () => redis.disconnect());
  return { ...ground, ...of(redis) };
}
