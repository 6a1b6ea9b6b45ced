import type { TestProject } from "vitest/node";
import { type FoundRedis, startRedis } from "../delivery/redis.ts";
import { startTestCluster } from "../ledger/test-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The test cluster's own database, for making and dropping others. */
    postgresAdminUrl: string;
    /** The Redis that all tests share: use a prefix of your own. Null: this machine has none. */
    redisUrl: string | null;
  }
}

/**
 * One PostgreSQL and one Redis for all tests that ask for real things; both end with the run,
 * however it ends. A machine without a Redis runs everything else, unless CHAINBELL_TEST_REDIS is
 * `required`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestCluster();
  let found: FoundRedis;
  try {
    found = await startRedis();
    if (found.server === null && process.env["CHAINBELL_TEST_REDIS"] === "required")
      throw new Error(`The tests need a Redis: ${found.how}`);
  } catch (error) {
    await postgres.end();
    throw error;
  }
  const { server, how } = found;
  process.stderr.write(
    server === null
      ? `tests: embedded PostgreSQL; no Redis, so what needs one is skipped by name. ${how}\n`
      : `tests: embedded PostgreSQL; Redis: ${how}\n`,
  );
  project.provide("postgresAdminUrl", postgres.adminUrl);
  project.provide("redisUrl", server?.url ?? null);
  return async () => {
    await Promise.all([postgres.end(), server?.stop()]);
  };
}
