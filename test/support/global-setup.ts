import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TestProject } from "vitest/node";
import {
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from "../../src/development/embedded-postgres.ts";
import { clusterHome } from "../../src/development/postgres-cluster.ts";
import { databaseUrl, runSql, TEMPLATE_DATABASE } from "./databases.ts";
import { removeWithUs } from "./reaper.ts";
import { type RedisServer, startRedis } from "./redis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The test cluster's own database, for making and dropping others. */
    postgresAdminUrl: string;
    /** The Redis that all tests share: use a prefix of your own. */
    redisUrl: string;
  }
}

const silent = { info: () => undefined, warn: () => undefined };
// Nothing here outlives the run, so nothing needs to reach the disk.
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

/** One PostgreSQL and one Redis for all tests that ask for real things; both end with the run, however it ends. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  let redis: RedisServer;
  try {
    await migrateTemplate(postgres.adminUrl);
    redis = await startRedis();
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  process.stderr.write(`tests: embedded PostgreSQL; Redis: ${redis.described}\n`);
  project.provide("postgresAdminUrl", postgres.adminUrl);
  project.provide("redisUrl", redis.url);
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  };
}

async function startPostgres() {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-test-")));
  removeWithUs(dataDir);
  removeWithUs(clusterHome(dataDir));
  const cluster = await openEmbeddedPostgres({ dataDir, settings: SETTINGS, log: silent });
  return {
    adminUrl: cluster.adminUrl,
    stop: async () => {
      await cluster.close();
      await removeEmbeddedPostgres(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function migrateTemplate(adminUrl: string): Promise<void> {
  await runSql(adminUrl, `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  const applier = fileURLToPath(new URL("../../src/ledger/migrate.ts", import.meta.url));
  if (!existsSync(applier)) return;
  const { migrate } = (await import(pathToFileURL(applier).href)) as {
    migrate: (options: { databaseUrl: string }) => Promise<unknown>;
  };
  await migrate({ databaseUrl: databaseUrl(adminUrl, TEMPLATE_DATABASE) });
}
