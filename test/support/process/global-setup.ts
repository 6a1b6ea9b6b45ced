import type { TestProject } from "vitest/node";
import { type RedisServer, startRedis } from "../delivery/redis.ts";
import { startTestCluster } from "../ledger/test-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The test cluster's own database, for making and dropping others. */
    postgresAdminUrl: string;
    /** The Redis that all tests share: use a prefix of your own. */
    redisUrl: string;
  }
}

/** One PostgreSQL and one Redis for all tests that ask for real things; both end with the run, however it ends. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestCluster();
  let redis: RedisServer;
  try {
    redis = await startRedis();
  } catch (error) {
    await postgres.end();
    throw error;
  }
  process.stderr.write(`tests: embedded PostgreSQL; Redis: ${redis.described}\n`);
  project.provide("postgresAdminUrl", postgres.adminUrl);
  project.provide("redisUrl", redis.url);
  return async () => {
    await Promise.all([postgres.end(), redis.stop()]);
  };
}
