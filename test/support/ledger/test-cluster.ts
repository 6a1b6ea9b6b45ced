import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from "../../../src/development/postgres/embedded-postgres.ts";
import { clusterHome } from "../../../src/development/postgres/postgres-cluster.ts";
import { migrate } from "../../../src/ledger/postgres/migrate.ts";
import { removeWithUs } from "../process/reaper.ts";
import { databaseUrl, runSql, TEMPLATE_DATABASE } from "./databases.ts";

const silent = { info: () => undefined, warn: () => undefined };
// Nothing here outlives the run, so nothing needs to reach the disk.
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

export type TestCluster = { adminUrl: string; stop: () => Promise<void> };

/** A PostgreSQL that ends with us, with the template that `createTestDatabase` copies: migrated once. */
export async function startTestCluster(): Promise<TestCluster> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-test-")));
  removeWithUs(dataDir);
  removeWithUs(clusterHome(dataDir));
  const cluster = await openEmbeddedPostgres({ dataDir, settings: SETTINGS, log: silent });
  const stop = async () => {
    await cluster.close();
    await removeEmbeddedPostgres(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await migrateTemplate(cluster.adminUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return { adminUrl: cluster.adminUrl, stop };
}

async function migrateTemplate(adminUrl: string): Promise<void> {
  await runSql(adminUrl, `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await migrate({ databaseUrl: databaseUrl(adminUrl, TEMPLATE_DATABASE) });
}
