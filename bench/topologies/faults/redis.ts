import { startOwnRedis } from "../../../test/support/delivery/redis.ts";
import {
  startRedisCluster,
  startSentinels,
} from "../../../test/support/delivery/redis-topologies.ts";
import type { Fault } from "../fault.ts";
import { throughProxy, usual, withRedis } from "./usual.ts";

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
  "redis-full": {
    about: "Redis has no memory left, and drops nothing",
    open: (world) =>
      withRedis(world, (redis) => ({
        begin: () => redis.config("SET", "maxmemory", "1mb"),
        finish: () => redis.config("SET", "maxmemory", "0"),
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
    about: "the node of a Redis Cluster that has the queue is lost, and its replica takes over",
    async open(world) {
      const ground = await usual(world);
      const redis = await world.open(startRedisCluster(), (one) => one.end());
      return { ...ground, redisUrl: redis.url, begin: redis.loseHolder };
    },
  },
} satisfies Record<string, Fault>;
